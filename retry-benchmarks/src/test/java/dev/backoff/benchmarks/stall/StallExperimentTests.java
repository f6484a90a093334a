package dev.backoff.benchmarks.stall;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.backoff.simulator.Course;

import static org.assertj.core.api.Assertions.assertThat;

/** A trial with a real server finds something; what it finds depends on the machine. */
class StallExperimentTests {

	@Test
	void offersCallsToAServerThatStalls(@TempDir Path directory) throws Exception {
		StallExperiment.Times times = new StallExperiment.Times(Duration.ofSeconds(1), Duration.ofMillis(500),
				Duration.ofSeconds(2));
		Course figures = StallExperiment.run(0.5, RetryLimit.DEFAULT_BUDGET.withTokens(StallExperiment.TOKENS), times,
				directory.resolve("server.log"), 1);
		// attempts may be counted in the second after that of their call
		assertThat(figures.load(-1) + figures.load(0) + figures.load(1)).isPositive();
	}

}
