package dev.backoff.benchmarks.speed;

import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Param;

/** A call that succeeds at once. */
@Fork(2)
public class SuccessBenchmark extends CallBenchmark {

	@Param({ "PLAIN", "PROXY", "FLOOR", "FRAMEWORK", "FRAMEWORK_TIMED", "SPRING_RETRY", "RESILIENCE4J",
			"RESILIENCE4J_BREAKER", "FAILSAFE", "BACKOFF", "BACKOFF_WOVEN", "BACKOFF_PROGRAMMATIC" })
	private Contender contender = Contender.BACKOFF;

	@Override
	Contender contender() {
		return this.contender;
	}

}
