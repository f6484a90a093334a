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

import dev.backoff.Operation;
import dev.backoff.Retry;
import dev.backoff.pace.Pace;
import dev.backoff.pace.QuotaReading;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;

/** What a pace adds to a call of the core that succeeds at once. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 80, time = 15, timeUnit = TimeUnit.MILLISECONDS)
public class PaceBenchmark {

	/** What is measured. */
	public enum Kind {

		/** The work, timed. */
		FLOOR,

		/** A call without a pace. */
		NO_PACE,

		/** A call with a pace that was told nothing. */
		TOLD_NOTHING,

		/** A call with a pace that knows two quotas, of which much remains. */
		TOLD

	}

	@Param
	private Kind kind = Kind.FLOOR;

	private Operation<Object, RuntimeException> call = () -> this;

	@Setup
	public void start() {
		Operation<Object, RuntimeException> work = () -> this;
		if (this.kind == Kind.FLOOR) {
			this.call = () -> {
				long start = System.nanoTime();
				Object result = work.run();
				return (System.nanoTime() - start >= 0) ? result : "";
			};
			return;
		}
		Pace pace = new Pace("partner", Duration.ofMinutes(1), 1000, RetryTime.system(), (held, hold) -> {
		});
		if (this.kind == Kind.TOLD) {
			pace.told(RetryTime.system().nanoTime(),
					List.of(new QuotaReading("requests", 1L << 50, 1L << 49, Duration.ofDays(1), true, true),
							new QuotaReading("tokens", 1L << 60, 1L << 59, Duration.ofDays(1), false, true)));
		}
		Retry retry = Retry.builder(RetryPolicy.builder("partner").build())
			.pace((this.kind != Kind.NO_PACE) ? pace : null)
			.build();
		this.call = () -> retry.call(work);
	}

	@Benchmark
	public Object call() {
		return this.call.run();
	}

}
