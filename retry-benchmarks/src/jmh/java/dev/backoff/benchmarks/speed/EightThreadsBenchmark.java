package dev.backoff.benchmarks.speed;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Threads;

/**
 * A call that succeeds at once, by eight threads that share everything. The iterations
 * are long enough for each thread to have its turns where there are fewer cores.
 */
@Threads(8)
@BenchmarkMode(Mode.Throughput)
@Measurement(iterations = 40, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class EightThreadsBenchmark extends CallBenchmark {

	@Param({ "PROXY", "FLOOR", "FRAMEWORK", "FRAMEWORK_TIMED", "RESILIENCE4J_BREAKER", "BACKOFF", "BACKOFF_WOVEN",
			"BACKOFF_PROGRAMMATIC" })
	private Contender contender = Contender.BACKOFF;

	@Override
	Contender contender() {
		return this.contender;
	}

}
