package dev.backoff.benchmarks.fleet;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A trial with a real server: in a second no caller uses up its bucket. */
class FleetExperimentTests {

	@Test
	void callersThatHaveTokensMakeAllTheirAttempts(@TempDir Path directory) throws Exception {
		assertThat(FleetExperiment.loadInOutage(FleetBudget.DEFAULT, Duration.ofSeconds(1),
				directory.resolve("server.log")))
			.isEqualTo(4);
	}

}
