package dev.backoff.spring.otherretries;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.resilience.annotation.Retryable;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.BackoffConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class OtherRetriesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class));

	private final ApplicationContextRunner clients = this.runner
		.withConfiguration(
				AutoConfigurations.of(HttpClientAutoConfiguration.class, ImperativeHttpClientAutoConfiguration.class))
		.withPropertyValues("spring.http.clients.imperative.factory=http-components")
		.withBean("template", RetryTemplate.class);

	@Test
	void namesAllBeansInOneLineOnce(CapturedOutput output) {
		this.clients.run((context) -> {
			ready(context);
			ready(context);
			assertThat(logged(output)).containsExactly("INFO Other retries multiply the attempts of methods that use "
					+ "them (details: /actuator/backoff?view=other-retries): "
					+ "Apache HttpClient 5 (bean clientHttpRequestFactoryBuilder) repeats 429 and 503 once unless "
					+ "HttpClientBuilder.disableAutomaticRetries; "
					+ "Spring Framework RetryTemplate (bean template) repeats what its policy says unless maxRetries(0)");
		});
	}

	@Test
	void warnsOfClientsThatRepeatRefusedRequestsOfAPace(CapturedOutput output) {
		this.clients.withBean(Paced.class).run((context) -> {
			ready(context);
			assertThat(logged(output)).filteredOn((line) -> line.startsWith("WARN"))
				.containsExactly(
						"WARN Apache HttpClient 5 (bean clientHttpRequestFactoryBuilder) repeats refused requests "
								+ "by itself, without a turn of a pace: HttpClientBuilder.disableAutomaticRetries");
		});
	}

	@Test
	void isSilentWithoutOtherRetries(CapturedOutput output) {
		this.runner.run((context) -> {
			ready(context);
			assertThat(logged(output)).isEmpty();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "backoff.other-retries=off", "backoff.enabled=false" })
	void isSilentIfSwitchedOff(String property, CapturedOutput output) {
		this.clients.withBean(Twice.class).withPropertyValues(property).run((context) -> {
			ready(context);
			assertThat(logged(output)).isEmpty();
			assertThat(context.getBean(OtherRetries.class).all()).isNotEmpty();
		});
	}

	@Test
	void warnsOfTwoAnnotationsOnAMethod(CapturedOutput output) {
		this.runner.withBean(Twice.class).run((context) -> {
			ready(context);
			assertThat(logged(output)).containsExactly("WARN Spring Framework @Retryable and @Backoff on Twice.call "
					+ "multiply attempts: remove the former and set its values in the policy, by the table in "
					+ "docs/moving-in.md");
		});
	}

	@Test
	void survivesASearchThatFails(CapturedOutput output) {
		BackoffConfiguration configuration = BackoffConfiguration.read(new StandardEnvironment());
		this.runner.withBean(OtherRetries.class, () -> new OtherRetries(configuration, null, null)).run((context) -> {
			ready(context);
			assertThat(logged(output)).isEmpty();
		});
	}

	@Test
	void refusesAnotherValue() {
		this.runner.withPropertyValues("backoff.other-retries=on")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Invalid backoff.other-retries (on)")
				.hasMessageContaining("warn"));
	}

	private static void ready(AssertableApplicationContext context) {
		context.publishEvent(new ApplicationReadyEvent(new SpringApplication(), new String[0],
				context.getSourceApplicationContext(), Duration.ZERO));
	}

	private static List<String> logged(CapturedOutput output) {
		return output.getOut()
			.lines()
			.filter((line) -> line.contains("OtherRetries"))
			.map((line) -> line.replaceFirst("^.*?(WARN|INFO) .*?OtherRetries +(:|--) ", "$1 "))
			.toList();
	}

	public static class Paced {

		@Backoff(pace = "ai")
		public void call() {
		}

	}

	public static class Twice {

		@Backoff
		@Retryable
		public void call() {
		}

	}

}
