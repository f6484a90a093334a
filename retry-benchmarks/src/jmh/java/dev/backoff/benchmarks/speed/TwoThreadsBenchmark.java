package dev.backoff.benchmarks.speed;

import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Threads;

/** A call that succeeds at once, by two threads that share everything. */
@Threads(2)
public class TwoThreadsBenchmark extends CallBenchmark {

	@Param({ "PROXY", "FLOOR", "FRAMEWORK", "BACKOFF" })
	private Contender contender = Contender.BACKOFF;

	@Override
	Contender contender() {
		return this.contender;
	}

	@Override
	int failures() {
		return 0;
	}

}
