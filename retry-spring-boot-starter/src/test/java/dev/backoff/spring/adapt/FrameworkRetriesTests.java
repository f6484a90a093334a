package dev.backoff.spring.adapt;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;

import dev.backoff.delay.RandomSource;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.live.LiveConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FrameworkRetriesTests {

	private static final RandomSource MIDDLE = () -> 0.5;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withBean("middle", RandomSource.class, () -> MIDDLE)
		.withPropertyValues("backoff.policies.orders.base=4ms", "backoff.policies.orders.max-attempts=3");

	private static FrameworkRetries retries(ApplicationContext context) {
		return context.getBean(FrameworkRetries.class);
	}

	private static List<Long> delays(BackOff backOff) {
		List<Long> delays = new ArrayList<>();
		BackOffExecution execution = backOff.start();
		for (long next = execution.nextBackOff(); next != BackOffExecution.STOP
				&& delays.size() < 20; next = execution.nextBackOff()) {
			delays.add(next);
		}
		return delays;
	}

	@Test
	void delaysAreThoseOfThePolicyAndStopWithItsAttempts() {
		this.runner.run((context) -> assertThat(delays(retries(context).backOff("orders"))).containsExactly(2L, 4L));
	}

	@Test
	void delaysAreRoundedUpToMilliseconds() {
		this.runner.withPropertyValues("backoff.policies.orders.base=3ms")
			.run((context) -> assertThat(delays(retries(context).backOff("orders"))).containsExactly(2L, 3L));
	}

	@Test
	void delaysFollowAnOverrideFromTheNextStartOn() {
		this.runner.run((context) -> {
			BackOff backOff = retries(context).backOff("orders");
			LiveConfiguration live = context.getBean(LiveConfiguration.class);
			live.override("orders", Map.of("base", "2s"), null);
			assertThat(delays(backOff)).containsExactly(1_000L, 2_000L);
			live.override("orders", Map.of("enabled", "false"), null);
			assertThat(delays(backOff)).isEmpty();
			live.reset("orders");
			live.overrideRetriesEnabled(false, null);
			assertThat(delays(backOff)).isEmpty();
		});
	}

	@Test
	void anUnknownPolicyNamesTheNearest() {
		this.runner.run((context) -> {
			assertThatExceptionOfType(InvalidBackoffException.class).isThrownBy(() -> retries(context).backOff("order"))
				.withMessageContaining("Write orders");
			assertThatExceptionOfType(InvalidBackoffException.class)
				.isThrownBy(() -> retries(context).retryPolicy("order"))
				.withMessageContaining("names a policy that is not defined");
		});
	}

	@Test
	void policiesAreKnownToBeAdapted() {
		this.runner.withPropertyValues("backoff.policies.mail.base=1s").run((context) -> {
			retries(context).backOff("ORDERS");
			assertThat(context.getBean(BackoffMethods.class).isAdapted("orders")).isTrue();
			assertThat(context.getBean(BackoffMethods.class).isAdapted("mail")).isFalse();
		});
	}

	@Test
	void aTemplateOfTheFrameworkRetriesByThePolicy() {
		this.runner
			.withPropertyValues("backoff.policies.orders.abort-on=java.lang.IllegalStateException",
					"backoff.policies.orders.deadline=1m")
			.run((context) -> {
				RetryPolicy policy = retries(context).retryPolicy("orders");
				assertThat(policy.getTimeout()).isEqualTo(Duration.ofMinutes(1));
				RetryTemplate template = new RetryTemplate(policy);
				List<Exception> thrown = new ArrayList<>();
				assertThatThrownBy(() -> template.execute(() -> {
					thrown.add(new IOException("reset"));
					throw thrown.get(thrown.size() - 1);
				})).isInstanceOf(RetryException.class);
				assertThat(thrown).hasSize(3);
				thrown.clear();
				assertThatThrownBy(() -> template.execute(() -> {
					thrown.add(new IllegalStateException("closed"));
					throw thrown.get(thrown.size() - 1);
				})).isInstanceOf(RetryException.class);
				assertThat(thrown).hasSize(1);
			});
	}

}
