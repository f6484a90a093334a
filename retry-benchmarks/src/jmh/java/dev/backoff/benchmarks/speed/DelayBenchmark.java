package dev.backoff.benchmarks.speed;

import java.time.Duration;
import java.util.List;
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
import org.openjdk.jmh.annotations.Warmup;

import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.Jitter;
import dev.backoff.delay.RandomSource;
import dev.backoff.delay.Shape;

/** The computation of one delay, of retries 1 to 8 in turn. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 80, time = 15, timeUnit = TimeUnit.MILLISECONDS)
public class DelayBenchmark {

	private static final Duration BASE = Duration.ofMillis(100);

	private static final Duration CAP = Duration.ofSeconds(10);

	private static final int RETRIES = 8;

	@Param({ "fixed full", "linear full", "ladder full", "exponential none", "exponential full", "exponential equal",
			"exponential 20%", "exponential decorrelated", "exponential beta" })
	private String rule = "exponential full";

	private BackoffRule made;

	private final RandomSource random = RandomSource.threadLocal();

	private int retry;

	private long previous;

	@Setup
	public void make() {
		String[] parts = this.rule.split(" ", -1);
		this.made = BackoffRule.of(shape(parts[0]), CAP, jitter(parts[1]));
	}

	private static Shape shape(String name) {
		return switch (name) {
			case "fixed" -> Shape.fixed(BASE);
			case "linear" -> Shape.linear(BASE, BASE);
			case "ladder" -> Shape.ladder(List.of(BASE, BASE, CAP));
			case "exponential" -> Shape.exponential(BASE, 2);
			default -> throw new IllegalArgumentException("Invalid shape (" + name + "): unknown.");
		};
	}

	private static Jitter jitter(String name) {
		return switch (name) {
			case "none" -> Jitter.none();
			case "full" -> Jitter.full();
			case "equal" -> Jitter.equal();
			case "20%" -> Jitter.proportional(0.2);
			case "decorrelated" -> Jitter.decorrelated();
			case "beta" -> Jitter.beta(0, 1);
			default -> throw new IllegalArgumentException("Invalid jitter (" + name + "): unknown.");
		};
	}

	@Benchmark
	public long delay() {
		this.retry = this.retry % RETRIES + 1;
		this.previous = this.made.delay(this.retry, this.previous, this.random);
		return this.previous;
	}

}
