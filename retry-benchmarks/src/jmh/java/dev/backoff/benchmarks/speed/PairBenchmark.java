package dev.backoff.benchmarks.speed;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
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
 * A call by a rival and by ours in one process, in turn from iteration to iteration: the
 * odd ones are the rival's. What the machine adds, it adds to both.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(6)
@Warmup(iterations = 60, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 200, time = 10, timeUnit = TimeUnit.MILLISECONDS)
public class PairBenchmark {

	@Param("BACKOFF")
	private Contender contender = Contender.BACKOFF;

	@Param("FLOOR")
	private Contender rival = Contender.FLOOR;

	@Param("0")
	private int failures;

	private Application theirs;

	private Application ours;

	private Partner partner;

	@Setup
	public void start() {
		this.theirs = new Application(this.rival, this.failures, (partner) -> partner.ask("?"));
		this.ours = new Application(this.contender, this.failures, (partner) -> partner.ask("?"));
		this.partner = this.ours.partner();
	}

	@Setup(Level.Iteration)
	public void turn() {
		this.partner = (this.partner == this.ours.partner()) ? this.theirs.partner() : this.ours.partner();
	}

	@TearDown
	public void stop() {
		this.theirs.close();
		this.ours.close();
	}

	@Benchmark
	public Object call() {
		return this.partner.ask("?");
	}

}
