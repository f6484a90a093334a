package dev.backoff.spring.readme;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

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

import static org.assertj.core.api.Assertions.assertThat;

/** The report in docs/configuration.md, and what docs/limits.md says of its presets. */
class ConfigurationTextTests {

	private final Page page = Page.of("docs/configuration.md");

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
				String folder = this.directory.getFileName() + "/";
				assertThat(analysis.getDescription()).contains(" at " + folder + "application.yml:4");
				assertThat(this.page.blocks("").get(0).strip())
					.isEqualTo((analysis.getDescription() + "\n\nAction:\n\n" + analysis.getAction()).replace("\r", "")
						.replace(folder, ""));
			});
	}

	@Test
	void presetsForMessagesOutlastAPollOfKafka() {
		assertThat(Page.of("docs/limits.md").text().replaceAll("\\s+", " ")).contains(
				"`max.poll.interval.ms` (5 minutes by default)",
				"`message` and `background` can wait longer than these 5 minutes");
		for (Preset preset : List.of(Preset.MESSAGE, Preset.BACKGROUND)) {
			RetryPolicy policy = RetryPolicy.builder("listener").preset(preset).build();
			int retries = Math.min(policy.maxAttempts(), 100) - 1;
			assertThat(DelayPlan.of(policy.rule(), retries).totalMean()).as(preset.key())
				.isGreaterThan(Duration.ofMinutes(5).toNanos());
		}
	}

}
