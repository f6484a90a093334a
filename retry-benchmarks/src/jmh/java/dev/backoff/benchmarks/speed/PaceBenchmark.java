package dev.backoff.benchmarks.speed;

import org.openjdk.jmh.annotations.Param;

/** What a pace and a key add to a call that succeeds at once. */
public class PaceBenchmark extends CallBenchmark {

	@Param({ "PROXY", "FLOOR", "BACKOFF", "BACKOFF_PACE", "BACKOFF_PACE_TOLD", "BACKOFF_KEY", "BACKOFF_KEY_PACE",
			"BACKOFF_KEY_PROPERTY" })
	private Contender contender = Contender.BACKOFF;

	@Override
	Contender contender() {
		return this.contender;
	}

}
