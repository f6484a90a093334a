package dev.backoff.benchmarks.speed;

import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Param;

/** A call that fails twice and then succeeds, without delays: of all that retry. */
@Fork(2)
public class RecoveryBenchmark extends CallBenchmark {

	@Param({ "FRAMEWORK", "FRAMEWORK_TIMED", "SPRING_RETRY", "RESILIENCE4J", "RESILIENCE4J_BREAKER", "FAILSAFE",
			"BACKOFF", "BACKOFF_WOVEN", "BACKOFF_PROGRAMMATIC" })
	private Contender contender = Contender.BACKOFF;

	@Override
	Contender contender() {
		return this.contender;
	}

	@Override
	int failures() {
		return 2;
	}

}
