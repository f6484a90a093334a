package dev.backoff.spring.minimal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.json.JsonParser;
import org.springframework.boot.json.JsonParserFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** What a real process writes, as text and as JSON. */
class LoggingTests {

	private static final JsonParser JSON = JsonParserFactory.getJsonParser();

	private static final String STRUCTURED = "--logging.structured.format.console=";

	private static final String KEY_VALUES = "--logging.pattern.console=%-5level %logger{0}: %msg [%kvp]%n%wEx";

	private static final String BY_DEFAULT = "";

	private static final String EACH_RETRY = "--logging.level.dev.backoff.spring.observation.StopLogger=debug";

	private static final List<String> STARTS = List.of(BY_DEFAULT, EACH_RETRY, KEY_VALUES, STRUCTURED + "ecs",
			STRUCTURED + "logstash", STRUCTURED + "gelf");

	private static Map<String, List<String>> output;

	@ParameterizedTest
	@ValueSource(strings = { "ecs", "logstash", "gelf" })
	void writesKeyValuesAsJson(String format) {
		List<Map<String, Object>> lines = lines(STRUCTURED + format).stream()
			.map((line) -> JSON.parseMap(line))
			.map(LoggingTests::keyValues)
			.filter((keyValues) -> !keyValues.isEmpty())
			.toList();
		Map<String, Object> stopped = only(lines, "method", "Payments.pay");
		assertThat(stopped)
			.containsOnlyKeys("policy", "method", "attempts", "stop", "elapsed_ms", "waits_ms", "attempts_ms",
					"failure", "recover")
			.containsEntry("policy", "payments")
			.containsEntry("attempts", 3)
			.containsEntry("stop", "budget")
			.containsEntry("waits_ms", List.of(1, 2))
			.containsEntry("recover", "none")
			.containsEntry("failure", "java.io.IOException caused by java.lang.IllegalStateException");
		assertThat(stopped.get("elapsed_ms")).isInstanceOf(Integer.class);
		assertThat((List<?>) stopped.get("attempts_ms")).hasSize(3)
			.allSatisfy((time) -> assertThat(time).isInstanceOf(Integer.class));
		assertThat(only(lines, "method", "Payments.payOrPark")).containsEntry("stop", "attempts_exhausted")
			.containsEntry("recover", "done");
		assertThat(lines).filteredOn((keyValues) -> "Payments.refund".equals(keyValues.get("method"))).hasSize(20);
		assertThat(only(lines, "calls", LoggingApplication.MORE_THAN_COME_IN_FULL - 20))
			.containsEntry("policy", "refunds")
			.containsEntry("stop", "attempts_exhausted")
			.containsEntry("attempts", 10)
			.containsEntry("recovered", 0);
		assertThat(only(lines, "budget", "payments")).hasSize(1);
		assertThat(only(lines, "breaker", "gateway")).containsEntry("from", "closed").containsEntry("to", "open");
	}

	@Test
	void writesKeyValuesInText() {
		List<String> lines = lines(KEY_VALUES);
		assertThat(lines).filteredOn((line) -> line.contains("Payments.pay ")).singleElement().satisfies((line) -> {
			assertThat(line).startsWith("WARN  StopLogger: Stopped after 3 of 4 attempts in ")
				.contains(": BUDGET, the budget payments is spent (policy payments; waits 1 ms, 2 ms; attempts ");
			assertThat(line).containsPattern(Pattern
				.quote("[backoff.policy=\"payments\" backoff.method=\"Payments.pay\" "
						+ "backoff.attempts=\"3\" backoff.stop=\"budget\" backoff.elapsed_ms=\"")
					+ "\\d+" + Pattern.quote("\" backoff.waits_ms=\"[1, 2]\" backoff.attempts_ms=\"["));
		});
	}

	@Test
	void writesTheWholeStoryInTheTextThatIsTheDefault() {
		assertThat(lines(BY_DEFAULT)).filteredOn((line) -> line.contains("Payments.payOrPark"))
			.singleElement()
			.satisfies((line) -> assertThat(line)
				.containsPattern(" WARN .*Stopped after 3 of 3 attempts in .*: ATTEMPTS_EXHAUSTED \\(policy parking; "
						+ "waits 1 ms, 2 ms; attempts .*\\); Payments.payOrPark failed with java.io.IOException; recovered$"));
	}

	@Test
	void writesEachRetryIfOneKeyAsksForIt() {
		assertThat(lines(EACH_RETRY)).filteredOn((line) -> line.contains("Retrying Payments.payOrPark in "))
			.hasSize(2)
			.last()
			.asString()
			.contains("DEBUG")
			.endsWith("in 2 ms after attempt 2: io, java.io.IOException (policy parking)");
		assertThat(lines(BY_DEFAULT)).noneMatch((line) -> line.contains("Retrying"));
	}

	/** Return the key-values of ours, whatever the format makes of their names. */
	private static Map<String, Object> keyValues(Map<String, Object> line) {
		Map<String, Object> found = new LinkedHashMap<>();
		if (line.get("backoff") instanceof Map<?, ?> nested) {
			nested.forEach((key, value) -> found.put((String) key, value));
		}
		line.forEach((key, value) -> {
			if (key.matches("_?backoff\\..*")) {
				found.put(key.substring(key.indexOf('.') + 1), value);
			}
		});
		return found;
	}

	private static Map<String, Object> only(List<Map<String, Object>> lines, String key, Object value) {
		List<Map<String, Object>> found = lines.stream().filter((line) -> value.equals(line.get(key))).toList();
		assertThat(found).as(key + " " + value).hasSize(1);
		return found.get(0);
	}

	private static List<String> lines(String start) {
		return output.get(start);
	}

	@BeforeAll
	static void run(@TempDir Path directory) throws Exception {
		Path lines = directory.resolve("output.txt");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-cp", classPath(),
				LoggingApplication.class.getName(), "--spring.main.banner-mode=off",
				"--spring.main.web-application-type=none", "--spring.application.name=shop",
				"--backoff.defaults.max-attempts=3", "--backoff.defaults.base=1ms", "--backoff.defaults.jitter=none",
				"--backoff.breakers.gateway.open-for=10s", "--backoff.policies.refunds.max-attempts=2",
				"--backoff.policies.payments.max-attempts=4", "--backoff.policies.parking.max-attempts=3",
				"--backoff.budgets.payments.tokens=2", "--backoff.budgets.payments.per-second=0.001")
			.directory(directory.toFile())
			.redirectInput(Files.write(directory.resolve("input.txt"), STARTS).toFile())
			.redirectErrorStream(true)
			.redirectOutput(lines.toFile())
			.start();
		try {
			assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		assertThat(process.exitValue()).as(Files.readString(lines)).isZero();
		output = split(Files.readAllLines(lines));
		STARTS.forEach((start) -> assertThat(lines(start).toString().contains("secret")).as(start)
			.isEqualTo(start.equals(EACH_RETRY)));
	}

	private static Map<String, List<String>> split(List<String> lines) {
		Map<String, List<String>> output = new HashMap<>();
		int from = 0;
		for (String start : STARTS) {
			int end = from + lines.subList(from, lines.size()).indexOf(LoggingApplication.END);
			output.put(start, lines.subList(from, end));
			from = end + 1;
		}
		return output;
	}

	private static String classPath() {
		return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
	}

}
