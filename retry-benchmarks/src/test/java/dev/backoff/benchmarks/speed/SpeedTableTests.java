package dev.backoff.benchmarks.speed;

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
					JDK 17.0.15

					## Success at once

					| call | ns | median | bytes | ratio to floor: proxy and one `Timer` |
					| --- | --- | --- | --- | --- |
					| floor: proxy and one `Timer` | 100.0 | 110.0 | 72 | 1.00 |
					| Resilience4j retry | 800.0 | 950.0 | 1680 | 8.00 |
					""");
	}

	@Test
	void saysWhichGoalsAreMet() {
		assertThat(write(result("SuccessBenchmark", "PROXY", "[[30.0]]", "72.02"),
				result("SuccessBenchmark", "FLOOR", "[[100.0]]", "72.01"),
				result("SuccessBenchmark", "FRAMEWORK_TIMED", "[[400.0]]", "1600.0"),
				result("SuccessBenchmark", "BACKOFF", "[[129.0]]", "72.10"),
				result("TwoThreadsBenchmark", "BACKOFF", "[[140.0]]", "72.10")))
			.contains("""
					| goal | wanted | measured |  |
					| --- | --- | --- | --- |
					| success at once, against the floor | ≤ 1.30 | 1.29 | met |
					| success at once, against Framework + `@Timed` | ≤ 0.35 | 0.32 | met |
					| success at once, bytes beyond the proxy | 0 | 0 | met |
					| each of two threads, against one alone | ≥ 0.90 | 0.92 | met |
					""");
	}

	@Test
	void saysWhichGoalsAreMissed() {
		assertThat(write(result("SuccessBenchmark", "PROXY", "[[30.0]]", "72.0"),
				result("SuccessBenchmark", "FLOOR", "[[100.0]]", "72.0"),
				result("SuccessBenchmark", "BACKOFF", "[[131.0]]", "96.0"),
				result("TwoThreadsBenchmark", "BACKOFF", "[[160.0]]", "96.0")))
			.contains("""
					| success at once, against the floor | ≤ 1.30 | 1.31 | **missed** |
					| success at once, bytes beyond the proxy | 0 | 24 | **missed** |
					| each of two threads, against one alone | ≥ 0.90 | 0.82 | **missed** |
					""");
	}

	@Test
	void judgesTheSlowestDelayAndBetaApart() {
		assertThat(write(result("DelayBenchmark", "fixed full", "[[10.0]]", "0.001"),
				result("DelayBenchmark", "exponential full", "[[61.0]]", "0.001"),
				result("DelayBenchmark", "exponential beta", "[[199.0]]", "16.0")))
			.contains("| one delay, any jitter but beta, ns | ≤ 60 | 61 | **missed** |")
			.contains("| one delay, beta, ns | ≤ 200 | 199 | met |")
			.contains("| one delay, bytes | 0 | 16 | **missed** |")
			.contains("| exponential beta | 199.0 | 199.0 | 16 |");
	}

	@Test
	void leavesBytesOpenThatWereNotMeasured() {
		String withoutBytes = result("SuccessBenchmark", "FLOOR", "[[100.0]]", "0")
			.replaceFirst("\"secondaryMetrics\": .*", "\"secondaryMetrics\": {}}");
		assertThat(write(withoutBytes)).contains("| floor: proxy and one `Timer` | 100.0 | 100.0 | – | 1.00 |");
	}

	@Test
	void refusesAnEmptyFile() {
		assertThatThrownBy(() -> SpeedResults.parse("[]")).isInstanceOf(IllegalArgumentException.class)
			.hasMessage("Invalid results ([]): must not be empty.");
	}

	private static String write(String... results) {
		String json = Stream.of(results).collect(Collectors.joining(",\n", "[", "]"));
		return new SpeedTable(SpeedResults.parse(json)).write();
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
