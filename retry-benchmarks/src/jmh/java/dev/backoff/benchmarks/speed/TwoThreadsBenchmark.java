package dev.backoff.benchmarks.speed;

import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Threads;

/**
 * A call that succeeds at once, by two threads that share everything. Counted are the
 * calls of both, since of two mean times one is short whenever the other thread waits for
 * a core.
 */
@Threads(2)
@BenchmarkMode(Mode.Throughput)
public class TwoThreadsBenchmark extends CallBenchmark {

	@Param({ "PROXY", "FLOOR", "FRAMEWORK", "FRAMEWORK_TIMED", "SPRING_RETRY", "RESILIENCE4J", "RESILIENCE4J_BREAKER",
			"FAILSAFE", "BACKOFF", "BACKOFF_WOVEN", "BACKOFF_PROGRAMMATIC" })
	private Contender contender = Contender.BACKOFF;

	@Override
	Contender contender() {
		return this.contender;
	}

}
