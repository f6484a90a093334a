package dev.backoff.benchmarks.speed;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The tables made of what JMH writes. */
class SpeedTableTests {

	@Test
	void showsTheFastestIterationTheMedianAndTheRatio() {
		assertThat(write(result("SuccessBenchmark", "FLOOR", "[[120.0, 100.0, 110.0]]", "72.01"),
				result("SuccessBenchmark", "RESILIENCE4J", "[[900.0, 1000.0], [800.0, 1200.0]]", "1680.2")))
			.isEqualTo("""
					JDK 17.0.15, 2 cores

					## Success at once

					| call | ns | median | bytes | ratio to floor: proxy and one `Timer` | of medians |
					| --- | --- | --- | --- | --- | --- |
					| floor: proxy and one `Timer` | 100.0 | 110.0 | 72 | 1.00 | 1.00 |
					| Resilience4j retry | 800.0 | 950.0 | 1680 | 8.00 | 8.64 |
					""");
	}

	@Test
	void tellsEightThreadsFromOne() {
		assertThat(write(threads("EightThreadsBenchmark", "FLOOR", 8, "[[0.016, 0.02]]"),
				threads("EightThreadsBenchmark", "BACKOFF", 8, "[[0.01, 0.016]]")))
			.contains("| floor: proxy and one `Timer` | 400.0 | 450.0 | 72 | 1.00 | 1.00 |")
			.contains("| **Backoff**, in full | 500.0 | 650.0 | 72 | 1.25 | 1.44 |");
	}

	@Test
	void saysWhoRetriesNoFuture() {
		assertThat(write(result("AsyncBenchmark", "SPRING_RETRY", "[[200.0]]", "900.0"),
				result("AsyncBenchmark", "RESILIENCE4J", "[[900.0]]", "1700.0")))
			.contains("| Spring Retry, which retries no future | 200.0 | 200.0 | 900 | – | – |")
			.contains("| Resilience4j retry | 900.0 | 900.0 | 1700 | – | – |");
	}

	@Test
	void saysWhichGoalsAreMet() {
		assertThat(write(result("SuccessBenchmark", "PROXY", "[[30.0]]", "72.02"),
				result("SuccessBenchmark", "FLOOR", "[[100.0]]", "72.01"),
				result("SuccessBenchmark", "FRAMEWORK_TIMED", "[[400.0]]", "1600.0"),
				result("SuccessBenchmark", "RESILIENCE4J_BREAKER", "[[1800.0]]", "3400.0"),
				result("SuccessBenchmark", "BACKOFF", "[[129.0]]", "72.10"),
				result("SuccessBenchmark", "BACKOFF_WOVEN", "[[95.0]]", "24.0"),
				result("RecoveryBenchmark", "FRAMEWORK", "[[4000.0]]", "4500.0"),
				result("RecoveryBenchmark", "BACKOFF", "[[2000.0]]", "728.0"),
				threads("TwoThreadsBenchmark", "BACKOFF", 2, "[[0.015, 0.0142857]]"),
				threads("EightThreadsBenchmark", "FLOOR", 8, "[[0.02]]"),
				threads("EightThreadsBenchmark", "BACKOFF", 8, "[[0.014]]")))
			.contains(
					"""
							| goal | must | aim | measured |  |
							| --- | --- | --- | --- | --- |
							| success at once, against the floor | ≤ 1.20 | ≤ 1.15 | 1.29 | **missed** |
							| success at once, against Framework `@Retryable` + `@Timed` | ≤ 0.35 | ≤ 0.28 | 0.32 | met |
							| success at once, against Resilience4j retry + breaker | ≤ 0.08 | ≤ 0.06 | 0.072 | met |
							| success at once, bytes beyond the no-op proxy | 0 | 0 | 0 | as aimed at |
							| success at once, woven, against the proxied floor | ≤ 1.05 | ≤ 0.95 | 0.95 | as aimed at |
							| two failures, then success, against Framework `@Retryable` | ≤ 0.70 | ≤ 0.50 | 0.50 | as aimed at |
							| 2 threads: a call's time on one, divided by that on each of two | ≥ 0.90 | ≥ 0.97 | 0.97 | met |
							| 8 threads on 2 cores: how much slower than on one the floor is, divided by the same of ours \
							| ≥ 0.90 | ≥ 0.97 | 0.90 | met |
							| 10,000 annotated calls a second, share of one core | ≤ 0.200 % | ≤ 0.120 % | 0.129 % | met |
							""");
	}

	@Test
	void saysWhatSlotsAddToACall() {
		assertThat(write(result("FeatureBenchmark", "BACKOFF", "[[130.0]]", "72.0"),
				result("FeatureBenchmark", "BACKOFF_SLOTS", "[[150.0]]", "72.0")))
			.contains("| success at once, with `concurrency`, ns more than without | ≤ 25 | ≤ 15 | 20 | met |")
			.contains("| with `concurrency` | 150.0 | 150.0 | 72 | – | – |");
	}

	@Test
	void judgesTheSlowestDelayAndBetaApart() {
		assertThat(write(result("DelayBenchmark", "fixed full", "[[10.0]]", "0.001"),
				result("DelayBenchmark", "exponential full", "[[61.0]]", "0.001"),
				result("DelayBenchmark", "exponential beta", "[[199.0]]", "16.0")))
			.contains("| one delay, any jitter but beta, ns | ≤ 60 | ≤ 30 | 61 | **missed** |")
			.contains("| one delay, beta, ns | ≤ 200 | ≤ 60 | 199 | met |")
			.contains("| one delay, bytes | 0 | 0 | 16 | **missed** |")
			.contains("| exponential beta | 199.0 | 199.0 | 16 |");
	}

	@Test
	void leavesBytesOpenThatWereNotMeasured() {
		String withoutBytes = result("SuccessBenchmark", "FLOOR", "[[100.0]]", "0")
			.replaceFirst("\"secondaryMetrics\": .*", "\"secondaryMetrics\": {}}");
		assertThat(write(withoutBytes)).contains("| floor: proxy and one `Timer` | 100.0 | 100.0 | – | 1.00 | 1.00 |");
	}

	@Test
	void takesAllIterationsOfTwoRuns() {
		String before = "[" + result("SuccessBenchmark", "FLOOR", "[[100.0]]", "72.0") + ","
				+ result("SuccessBenchmark", "PROXY", "[[30.0]]", "72.0") + "]";
		String after = "[" + result("SuccessBenchmark", "FLOOR", "[[120.0, 98.0]]", "48.0") + "]";
		List<SpeedResults.Figure> figures = SpeedResults.parse(List.of(before, after)).figures();
		assertThat(figures).extracting(SpeedResults.Figure::nanos).containsExactly(98.0, 30.0);
		assertThat(figures).extracting(SpeedResults.Figure::median).containsExactly(100.0, 30.0);
		assertThat(figures).extracting(SpeedResults.Figure::bytes).containsExactly(48.0, 72.0);
	}

	@Test
	void refusesAnEmptyFile() {
		assertThatThrownBy(() -> SpeedResults.parse(List.of("[]"))).isInstanceOf(IllegalArgumentException.class)
			.hasMessage("Invalid results ([[]]): nothing was measured.");
	}

	@Test
	void refusesRunsOfSeveralJdks() {
		String later = result("SuccessBenchmark", "FLOOR", "[[1.0]]", "72.0").replace("17.0.15", "25.0.1");
		assertThatThrownBy(() -> write(result("SuccessBenchmark", "FLOOR", "[[1.0]]", "72.0"), later))
			.isInstanceOf(IllegalArgumentException.class)
			.hasMessage("Invalid results (JDKs [17.0.15, 25.0.1]): must be of one JDK.");
	}

	private static String write(String... results) {
		String json = Stream.of(results).collect(Collectors.joining(",\n", "[", "]"));
		return new SpeedTable(SpeedResults.parse(List.of(json)), 2).write();
	}

	private static String threads(String benchmark, String parameter, int threads, String callsPerNano) {
		return result(benchmark, parameter, callsPerNano, "72.0").replace("\"mode\": \"avgt\"",
				"\"mode\": \"thrpt\", \"threads\": " + threads);
	}

	private static String result(String benchmark, String parameter, String nanos, String bytes) {
		return """
				{"jmhVersion": "1.37", "benchmark": "dev.backoff.benchmarks.speed.%s.call", "mode": "avgt",
				"jdkVersion": "17.0.15", "params": {"contender": "%s"},
				"primaryMetric": {"score": 1.0, "rawData": %s},
				"secondaryMetrics": {"gc.alloc.rate": {"rawData": [[5.0]]}, "gc.alloc.rate.norm": {"rawData": [[%s]]}}}"""
			.formatted(benchmark, parameter, nanos, bytes);
	}

}
