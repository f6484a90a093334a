package dev.backoff.benchmarks.speed;

import org.openjdk.jmh.annotations.Param;

/** A call that stops after four attempts, without delays: of all that retry. */
public class StopBenchmark extends CallBenchmark {

	@Param({ "FRAMEWORK", "FRAMEWORK_TIMED", "SPRING_RETRY", "RESILIENCE4J", "RESILIENCE4J_BREAKER", "FAILSAFE",
			"BACKOFF", "BACKOFF_WOVEN", "BACKOFF_PROGRAMMATIC" })
	private Contender contender = Contender.BACKOFF;

	@Override
	Contender contender() {
		return this.contender;
	}

	@Override
	int failures() {
		// one success in 100,000 calls fills the budget again
		return 400_000;
	}

}
