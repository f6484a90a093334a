package dev.backoff.benchmarks.speed;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A call that returns a future, which is complete at once. Framework and Spring Retry do
 * not retry what fails in a future: theirs is the price of a method that returns. All
 * make the first attempt on the calling thread, but Failsafe, which hands it to another.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 80, time = 15, timeUnit = TimeUnit.MILLISECONDS)
public class AsyncBenchmark {

	@Param({ "PLAIN", "PROXY", "FLOOR", "FRAMEWORK", "FRAMEWORK_TIMED", "SPRING_RETRY", "RESILIENCE4J",
			"RESILIENCE4J_BREAKER", "FAILSAFE", "BACKOFF", "BACKOFF_WOVEN", "BACKOFF_PROGRAMMATIC" })
	private Contender contender = Contender.BACKOFF;

	private Application application;

	private Partner partner;

	@Setup
	public void start() {
		this.application = new Application(this.contender, 0, (asked) -> asked.askLater("?").join());
		this.partner = this.application.partner();
	}

	@TearDown
	public void stop() {
		this.application.close();
	}

	@Benchmark
	public String call() {
		return this.partner.askLater("?").join();
	}

}
