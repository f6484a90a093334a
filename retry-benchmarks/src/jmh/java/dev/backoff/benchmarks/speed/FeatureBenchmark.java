package dev.backoff.benchmarks.speed;

import org.openjdk.jmh.annotations.Param;

/** What each feature of ours adds to a call that succeeds at once. */
public class FeatureBenchmark extends CallBenchmark {

	@Param({ "PROXY", "FLOOR", "BACKOFF", "BACKOFF_SLOTS", "BACKOFF_NO_BREAKER", "BACKOFF_NO_BUDGET",
			"BACKOFF_NO_METERS", "BACKOFF_BARE", "BACKOFF_DISABLED" })
	private Contender contender = Contender.BACKOFF;

	@Override
	Contender contender() {
		return this.contender;
	}

}
