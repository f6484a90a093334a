package dev.backoff.sample.ops;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The alerts that are shipped in {@code ops/prometheus}. */
@Tag("ci")
class AlertRulesTests {

	private static final Path ROOT = Path.of("..");

	private static final Path RULES = ROOT.resolve("ops/prometheus");

	private static final Pattern METER = Pattern.compile("\\bbackoff_[a-z_]+");

	/* A row of the table of meters. */
	private static final Pattern PUBLISHED = Pattern
		.compile("(?m)^\\| `(backoff\\.[a-z.]+)` \\| (timer|counter|gauge)");

	@Test
	void haveASeverityAndASectionForThePersonOnCall() throws IOException {
		List<String> sections = Files.readAllLines(ROOT.resolve("docs/operating.md"))
			.stream()
			.filter((line) -> line.startsWith("### Backoff"))
			.map((line) -> line.substring(4))
			.toList();
		List<String> alerts = new ArrayList<>();
		for (Map<String, Object> rule : rules()) {
			if (rule.get("alert") instanceof String alert) {
				alerts.add(alert);
				assertThat(texts(rule, "labels").get("severity")).as(alert).isIn("page", "ticket");
				assertThat(texts(rule, "annotations")).as(alert).containsKeys("summary", "description");
				assertThat(texts(rule, "annotations").get("runbook_url")).as(alert)
					.endsWith("/docs/operating.md#" + alert.toLowerCase(Locale.ROOT));
			}
		}
		assertThat(sections).containsExactlyElementsOf(alerts.stream().distinct().toList());
	}

	@Test
	void askForMetersThatExist() throws IOException {
		String pages = Files.readString(ROOT.resolve("docs/observation.md"))
				+ Files.readString(ROOT.resolve("docs/durable.md"));
		Set<String> published = PUBLISHED.matcher(pages)
			.results()
			.map((name) -> name.group(1).replace('.', '_'))
			.collect(Collectors.toSet());
		Set<String> asked = new TreeSet<>();
		for (Map<String, Object> rule : rules()) {
			METER.matcher(String.valueOf(rule.get("expr")))
				.results()
				.map((found) -> found.group().replaceAll("(_seconds)?(_count|_sum|_bucket|_total|_max)?$", ""))
				.forEach(asked::add);
		}
		assertThat(asked).isNotEmpty().allMatch(published::contains);
	}

	@Test
	void findTheHistogramsOfTheSample() throws IOException {
		Matcher needed = Pattern.compile("backoff\\.metrics\\.slo: (.+)")
			.matcher(Files.readString(RULES.resolve("backoff-rules.yml")));
		assertThat(needed.find()).isTrue();
		assertThat(Files.readString(Path.of("src/main/resources/application.yml")))
			.contains("    slo: " + needed.group(1) + "\n");
	}

	@Test
	void coverEachKindOfFailure() throws IOException {
		String asked = rules().stream().map((rule) -> String.valueOf(rule.get("expr"))).collect(Collectors.joining());
		assertThat(asked).contains("stop=\"attempts_exhausted\"", "stop=\"deadline\"", "stop=\"hint\"",
				"stop=\"rejected\"", "backoff_budget_refused_total", "backoff_budget_barred_total",
				"backoff_breaker_state", "backoff_recovered_total{outcome=\"failed\"}",
				"backoff_refresh_total{outcome=\"refused\"}", "backoff_overrides",
				"backoff_durable_calls{state=\"dead\"}", "backoff_durable_age", "backoff_durable_oldest",
				"backoff_durable_lost_total", "backoff_durable_orphans", "backoff_durable_unreadable",
				"backoff_durable_polls_failed_total");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					BackoffCallsFailing:page BackoffCallsFailing:ticket BackoffBreakerOpen:page BackoffBudgetDry:page \
					BackoffDependencyFailing:ticket BackoffDeadLetters:ticket | BackoffCallsFailing:page BackoffDeadLetters:ticket
					BackoffStormSuspected:page BackoffCallsFailing:page BackoffBudgetDry:page | BackoffStormSuspected:page
					BackoffCallsFailing:ticket BackoffBreakerOpen:page BackoffRetriesRejected:page \
					| BackoffCallsFailing:ticket BackoffBreakerOpen:page BackoffRetriesRejected:page""")
	void makeOnePageOfOneCause(String firing, String told) throws IOException {
		Map<String, List<Map<String, List<String>>>> file = new Yaml()
			.load(Files.readString(RULES.resolve("alertmanager.yml")));
		List<Map<String, List<String>>> inhibit = file.getOrDefault("inhibit_rules", List.of());
		assertThat(inhibit).allSatisfy((rule) -> assertThat(rule.getOrDefault("equal", List.of())).contains("job"));
		List<String> alerts = List.of(firing.split(" ", -1));
		assertThat(alerts)
			.filteredOn((alert) -> inhibit.stream()
				.noneMatch((rule) -> matches(rule.getOrDefault("target_matchers", List.of()), alert) && alerts.stream()
					.anyMatch((other) -> !other.equals(alert)
							&& matches(rule.getOrDefault("source_matchers", List.of()), other))))
			.containsExactly(told.split(" ", -1));
	}

	private static boolean matches(List<String> matchers, String alert) {
		Map<String, String> labels = Map.of("alertname", alert.replaceAll(":.*", ""), "severity",
				alert.replaceAll(".*:", ""));
		return matchers.stream().allMatch((matcher) -> {
			Matcher parts = Pattern.compile("(\\w+)=~?\"(.+)\"").matcher(matcher);
			return parts.matches() && labels.getOrDefault(parts.group(1), "").matches(parts.group(2));
		});
	}

	@Test
	void inhibitAlertsThatExist() throws IOException {
		String inhibit = Files.readString(RULES.resolve("alertmanager.yml")).replaceAll("Backoff\\(", "");
		List<Object> alerts = rules().stream().map((rule) -> rule.getOrDefault("alert", "")).toList();
		assertThat(Pattern.compile("(?<=[\"|])[A-Z]\\w+").matcher(inhibit).results().map(MatchResult::group))
			.isNotEmpty()
			.allMatch((name) -> alerts.contains(name.startsWith("Backoff") ? name : "Backoff" + name));
	}

	@Test
	void fireAndResolveInTheirOwnTests() throws Exception {
		assumeTrue(PrometheusServer.isInstalled("promtool"), PrometheusServer.MISSING);
		assertThat(run("promtool", "check", "rules", "backoff-rules.yml")).contains("SUCCESS");
		assertThat(run("promtool", "test", "rules", "backoff-rules-tests.yml")).contains("SUCCESS")
			.doesNotContain("FAILED");
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> rules() throws IOException {
		Map<String, List<Map<String, Object>>> file = new Yaml()
			.load(Files.readString(RULES.resolve("backoff-rules.yml")));
		List<Map<String, Object>> rules = new ArrayList<>();
		for (Map<String, Object> group : file.getOrDefault("groups", List.of())) {
			rules.addAll((List<Map<String, Object>>) group.getOrDefault("rules", List.of()));
		}
		return rules;
	}

	@SuppressWarnings("unchecked")
	private static Map<String, String> texts(Map<String, Object> rule, String key) {
		return (Map<String, String>) rule.getOrDefault(key, Map.of());
	}

	private static String run(String... command) throws IOException, InterruptedException {
		Process process = new ProcessBuilder(command).directory(RULES.toFile()).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
		assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
		assertThat(process.exitValue()).as(output).isZero();
		return output;
	}

}
