package dev.backoff.spring.readme;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.support.SpringFactoriesLoader;

import dev.backoff.delay.DelayPlan;
import dev.backoff.policy.Preset;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.time.DurationText;

import static org.assertj.core.api.Assertions.assertThat;

/** The words of docs/configuration.md that stand between its tables. */
class ConfigurationTextTests {

	private final Page page = Page.of("docs/configuration.md");

	private final Page limits = Page.of("docs/limits.md");

	@TempDir
	private Path directory;

	@Test
	void theReportIsAsShown() throws Exception {
		Path file = this.directory.resolve("application.yml");
		Files.writeString(file, "backoff:\n  policies:\n    orders:\n      max-retries: 3\n");
		PropertySource<?> source = new YamlPropertySourceLoader().load("application.yml", new FileSystemResource(file))
			.get(0);
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
			.withInitializer((context) -> context.getEnvironment().getPropertySources().addFirst(source))
			.run((context) -> {
				Throwable failure = context.getStartupFailure();
				assertThat(failure).hasStackTraceContaining(InvalidBackoffException.class.getName());
				FailureAnalysis analysis = SpringFactoriesLoader.forDefaultResourceLocation()
					.load(FailureAnalyzer.class, (type, name, problem) -> assertThat(name).startsWith("org.spring"))
					.stream()
					.filter((analyzer) -> analyzer.getClass().getName().startsWith("dev.backoff"))
					.map((analyzer) -> analyzer.analyze(failure))
					.findFirst()
					.orElseThrow();
				assertThat(this.page.blocks("").get(0).strip()).isEqualTo(
						(analysis.getDescription() + "\n\nAction:\n\n" + analysis.getAction()).replace("\r", ""));
			});
	}

	@Test
	void theKeysThatAreAttributesAreNamed() {
		String attributes = Arrays.stream(PolicyKey.values())
			.filter((key) -> key.attribute() != null)
			.map((key) -> "`" + key.key() + "`")
			.sorted()
			.collect(Collectors.joining(", "));
		assertThat(this.page.text().replaceAll("\\s+", " "))
			.contains("The keys " + attributes + " are attributes of `@Backoff` too");
	}

	@Test
	void thePresetsWaitAsTheTableSays() {
		for (Preset preset : Preset.values()) {
			RetryPolicy policy = RetryPolicy.builder("preset").preset(preset).build();
			if (policy.maxAttempts() == RetryPolicy.UNLIMITED_ATTEMPTS) {
				assertThat(this.page.text()).contains("| `" + preset.key() + "` | unlimited |");
				continue;
			}
			DelayPlan plan = DelayPlan.of(policy.rule(), policy.maxAttempts() - 1);
			assertThat(this.page.text())
				.containsPattern(Pattern.quote("| `" + preset.key() + "` | " + policy.maxAttempts() + " |") + ".*"
						+ Pattern.quote("| " + DurationText.rounded(plan.totalMean()) + ", "
								+ DurationText.rounded(plan.totalGreatest()) + " |"));
		}
	}

	@Test
	void presetsForMessagesOutlastAPollOfKafka() {
		Duration interval = Duration.ofMinutes(5);
		assertThat(this.limits.text().replaceAll("\\s+", " ")).contains("`max.poll.interval.ms` (5 minutes by default)",
				"`message` and `background` wait longer than that");
		for (Preset preset : List.of(Preset.MESSAGE, Preset.BACKGROUND)) {
			RetryPolicy policy = RetryPolicy.builder("listener").preset(preset).build();
			int retries = Math.min(policy.maxAttempts(), 100) - 1;
			assertThat(DelayPlan.of(policy.rule(), retries).totalMean()).as(preset.key())
				.isGreaterThan(interval.toNanos());
		}
	}

}
