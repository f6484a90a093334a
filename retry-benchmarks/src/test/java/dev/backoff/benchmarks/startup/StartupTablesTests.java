package dev.backoff.benchmarks.startup;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** That the applications start as they should; what they cost is for a quiet machine. */
@Tag("ci")
class StartupTablesTests {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@EnumSource
	@Execution(ExecutionMode.CONCURRENT)
	void startEachApplication(Contender contender) throws IOException, InterruptedException {
		Application application = new Application(contender, 3, false);
		Starts starts = Starts.of(List.of(application), 1, this.directory, "-XX:TieredStopAtLevel=1");
		assertThat(starts.least(application, Start::nanos)).isPositive();
		assertThat(starts.least(application, Start::processor)).isPositive();
		assertThat(starts.least(application, Start::bytes)).isPositive();
		assertThat(starts.least(application, Start::classes)).isPositive();
	}

	@Test
	void compareNoTimesOfOneStart() {
		Starts starts = new Starts(this.directory);
		for (Contender contender : Contender.values()) {
			note(starts, 0, contender, 0, 0);
		}
		StartupTables tables = new StartupTables(1, this.directory);
		tables.addBeans(1_001, starts);
		assertThat(tables.page()).contains("\nA trial: times mean nothing.\n")
			.contains("| against Framework, for each annotated method | bytes | bytes besides the proxy |");
	}

	@Test
	void compareTimesWithFrameworkAfterFiveStartsOfEach() {
		Starts starts = new Starts(this.directory);
		for (int i = 0; i < 5; i++) {
			note(starts, i, Contender.PLAIN, 0, 0);
			note(starts, i, Contender.PROXY, 1_000, 400);
			note(starts, i, Contender.FRAMEWORK, 2_000, 450);
			note(starts, i, Contender.BACKOFF, 2_500, 475);
			note(starts, i, Contender.BACKOFF_NAMED, 3_000, 500);
			note(starts, i, Contender.BACKOFF_METERED, 4_000, 600);
			note(starts, i, Contender.BACKOFF_UNUSED, -100, 1);
		}
		StartupTables tables = new StartupTables(5, this.directory);
		tables.addBeans(1_001, starts);
		assertThat(tables.page()).doesNotContain("trial")
			.endsWith(
					"""

							## An annotated method

							| 1,001 beans | ms with 1 bean, least | ms with 1,001, least | median | µs a bean more, least | median | processor µs a bean more, median | KB a bean more | classes a bean more |
							| --- | --- | --- | --- | --- | --- | --- | --- | --- |
							| no annotation, no proxy | 1,000 | 1,300 | 1,302 | (300) | (300) | (600) | (20.0) | (1.0) |
							| no annotation, a proxy that does nothing | 1,000 | 2,300 | 2,302 | 1,000 | 1,000 | 2,000 | 400 | 0.0 |
							| Framework `@Retryable` | 1,000 | 3,300 | 3,302 | 2,000 | 2,000 | 4,000 | 450 | 0.0 |
							| **Backoff**, a policy for each method | 1,000 | 3,800 | 3,802 | 2,500 | 2,500 | 5,000 | 475 | 0.0 |
							| Backoff, one policy for all: `@Backoff("partner")` | 1,000 | 4,300 | 4,302 | 3,000 | 3,000 | 6,000 | 500 | 0.0 |
							| Backoff with Actuator's meters, a policy for each | 1,000 | 5,300 | 5,302 | 4,000 | 4,000 | 8,000 | 600 | 0.0 |
							| Backoff on the class path, no annotation | 1,000 | 1,200 | 1,202 | −100 | −100 | −200 | 1.0 | 0.0 |

							| against Framework, for each annotated method | time, least | time, median | bytes | bytes besides the proxy |
							| --- | --- | --- | --- | --- |
							| **Backoff**, a policy for each method | 1.25 | 1.25 | 1.06 | 1.50 |
							| Backoff, one policy for all: `@Backoff("partner")` | 1.50 | 1.50 | 1.11 | 2.00 |
							| Backoff with Actuator's meters, a policy for each | 2.00 | 2.00 | 1.33 | 4.00 |
							""");
	}

	/*
	 * A bean without anything takes 300 µs, twice that of processors, 20 KB and a class;
	 * the first start is the quickest.
	 */
	private static void note(Starts starts, int number, Contender contender, int micros, int kilobytes) {
		long late = number * 1_000_000L;
		starts.note(new Application(contender, 1, false), new Start(1_000_000_000L + late, 2_000_000_000L, 0, 0));
		starts.note(new Application(contender, 1_001, false),
				new Start(1_000_000_000L + late + (300 + micros) * 1_000_000L,
						2_000_000_000L + (300 + micros) * 2_000_000L, (20 + kilobytes) * 1_024_000L, 1_000));
	}

	@Test
	void showWhatTheStarterCosts() {
		Starts starts = new Starts(this.directory);
		starts.note(new Application(Contender.PLAIN, 0, false), new Start(500_000_000, 900_000_000, 10_240_000, 4_000));
		starts.note(new Application(Contender.BACKOFF, 0, false),
				new Start(600_000_000, 1_080_000_000, 13_312_000, 4_700));
		starts.note(new Application(Contender.ACTUATOR, 0, false),
				new Start(900_000_000, 1_620_000_000, 20_480_000, 7_000));
		starts.note(new Application(Contender.BACKOFF_METERED, 0, false),
				new Start(1_100_000_000, 1_980_000_000, 25_600_000, 8_000));
		StartupTables tables = new StartupTables(5, this.directory);
		tables.addEmptyApplication(false, starts);
		assertThat(tables.page()).endsWith("""

				## An empty application

				| application | ms, least | ms, median | processor ms, least | median | KB allocated | classes loaded |
				| --- | --- | --- | --- | --- | --- | --- |
				| without the starter | 500 | 500 | 900 | 900 | 10,000 | 4,000 |
				| with it | 600 | 600 | 1,080 | 1,080 | 13,000 | 4,700 |
				| what it adds | 100 | 100 | 180 | 180 | 3,000 | 700 |
				| Actuator, without the starter | 900 | 900 | 1,620 | 1,620 | 20,000 | 7,000 |
				| Actuator, with it | 1,100 | 1,100 | 1,980 | 1,980 | 25,000 | 8,000 |
				| what it adds | 200 | 200 | 360 | 360 | 5,000 | 1,000 |
				""");
	}

}
