package dev.backoff.benchmarks.speed;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A call of a {@link Partner} that fails as often as the case says. Iterations are short
 * and many: on a machine that does other things as well, some are left alone.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 80, time = 15, timeUnit = TimeUnit.MILLISECONDS)
public abstract class CallBenchmark {

	private Application application;

	private Partner partner;

	/** Return who is measured. */
	abstract Contender contender();

	/** Return how often a call fails before it succeeds. */
	int failures() {
		return 0;
	}

	@Setup
	public void start() {
		this.application = new Application(contender(), failures(), (partner) -> partner.ask("?"));
		this.partner = this.application.partner();
	}

	@TearDown
	public void stop() {
		this.application.close();
	}

	@Benchmark
	public Object call() {
		try {
			return this.partner.ask("?");
		}
		catch (Partner.Failure ex) {
			return ex;
		}
	}

}
