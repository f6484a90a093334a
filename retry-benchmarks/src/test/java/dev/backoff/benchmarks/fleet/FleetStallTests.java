package dev.backoff.benchmarks.fleet;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.backoff.benchmarks.outage.Contender;
import dev.backoff.benchmarks.stall.StallExperiment;
import dev.backoff.simulator.Course;

import static org.assertj.core.api.Assertions.assertThat;

/** A trial with a real server and real applications, in five processes. */
@Tag("ci")
class FleetStallTests {

	@ParameterizedTest
	@EnumSource(names = { "BACKOFF", "RESILIENCE4J_WITH_BREAKER" })
	void applicationsCallAServerThatStalls(Contender contender, @TempDir Path directory) throws Exception {
		StallExperiment.Times times = new StallExperiment.Times(Duration.ofSeconds(1), Duration.ofSeconds(2),
				Duration.ofSeconds(1));
		Course course = FleetStall.run(contender, 5, times, directory);
		// a machine under load may be late
		assertThat(course.load(-3) + course.load(-2) + course.load(-1) + course.load(0)).isPositive();
	}

}
