package dev.backoff.libraries;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.RetryConfig;
import io.github.resilience4j.retry.RetryRegistry;
import io.github.resilience4j.retry.annotation.Retry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

import dev.backoff.annotation.Backoff;
import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.DelayPlan;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.otherretries.OtherRetries;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;

import static org.assertj.core.api.Assertions.assertThat;

/** What is shown in place of other retries starts, and does the same. */
class EquivalentTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withBean(RetryRegistry.class, EquivalentTests::registry)
		.withBean(Retried.class)
		.withPropertyValues("long=20s");

	@ParameterizedTest
	@CsvSource({ "Retried.frameworkDefaults, 4, 1000 1000 1000", "Retried.frameworkNumbers, 6, 100 200 400 500 500",
			"Retried.frameworkLong, 3, 20000 60000", "Retried.springRetryDefaults, 3, 1000 1000",
			"Retried.springRetryNumbers, 5, 10000 20000 30000 30000", "Retried.resilience, 4, 100 300 900" })
	void makesTheSameAttemptsAfterTheSameDelays(String method, int attempts, String delays) {
		RetryPolicy policy = policy(method).numbers();
		assertThat(policy.maxAttempts()).isEqualTo(attempts);
		assertThat(millis(policy))
			.isEqualTo(LongStream.of(List.of(delays.split(" ")).stream().mapToLong(Long::parseLong).toArray())
				.boxed()
				.toList());
	}

	@Test
	void hasTheDelaysOfSpringsOwnBackOff() {
		ExponentialBackOff theirs = new ExponentialBackOff(100, 2);
		theirs.setMaxInterval(500);
		BackOffExecution execution = theirs.start();
		List<Long> delays = new ArrayList<>();
		for (int retry = 1; retry < 6; retry++) {
			delays.add(execution.nextBackOff());
		}
		assertThat(millis(policy("Retried.frameworkNumbers").numbers())).isEqualTo(delays);
	}

	@Test
	void saysWhatDiffers() {
		this.runner.run((context) -> assertThat(text(context.getBean(OtherRetries.class), "Retried.frameworkMore"))
			.isEqualTo("""
					backoff:
					  policies:
					    "[Retried.frameworkMore]":
					      max-attempts: 6
					      base: 100ms
					      multiplier: 2
					      cap: 500ms
					      deadline: 30s
					      retry-on: [java.io.IOException]
					      jitter: 10%  # theirs is 10 ms more or less, whatever the cap
					"""));
		this.runner
			.run((context) -> assertThat(text(context.getBean(OtherRetries.class), "Retried.springRetryDefaults"))
				.isEqualTo("""
						backoff:
						  policies:
						    "[Retried.springRetryDefaults]":
						      max-attempts: 3
						      shape: fixed
						      base: 1s
						      # theirs repeats all exceptions, ours none that is a programming error
						      jitter: none  # theirs is none; full spreads a herd
						"""));
	}

	@Test
	void isMissingWhereTheirDelaysAreDrawn() {
		this.runner.run((context) -> assertThat(text(context.getBean(OtherRetries.class), "Retried.drawn")).isNull());
	}

	private EffectivePolicy policy(String method) {
		List<EffectivePolicy> policies = new ArrayList<>();
		this.runner.run((context) -> {
			String text = text(context.getBean(OtherRetries.class), method);
			StandardEnvironment environment = new StandardEnvironment();
			environment.getPropertySources()
				.addFirst(new YamlPropertySourceLoader()
					.load("equivalent", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
					.get(0));
			BackoffConfiguration configuration = BackoffConfiguration.read(environment);
			assertThat(configuration.problems()).isEmpty();
			String name = configuration.policyNames().get(0);
			policies.add(new BackoffPolicies(configuration, environment, null).resolve(name));
		});
		return policies.get(0);
	}

	private static String text(OtherRetries retries, String place) {
		return retries.all()
			.stream()
			.filter((retry) -> retry.place().equals(place))
			.findFirst()
			.orElseThrow()
			.equivalent();
	}

	private static List<Long> millis(RetryPolicy policy) {
		BackoffRule rule = policy.rule();
		return LongStream.range(1, policy.maxAttempts())
			.map((retry) -> DelayPlan.of(rule, (int) retry).totalGreatest()
					- ((retry > 1) ? DelayPlan.of(rule, (int) retry - 1).totalGreatest() : 0))
			.map((nanos) -> Duration.ofNanos(nanos).toMillis())
			.boxed()
			.toList();
	}

	private static RetryRegistry registry() {
		RetryRegistry registry = RetryRegistry.of(Map.of("exponential",
				RetryConfig.custom()
					.maxAttempts(4)
					.intervalFunction(IntervalFunction.ofExponentialBackoff(100, 3))
					.build(),
				"drawn", RetryConfig.custom().intervalFunction(IntervalFunction.ofRandomized(100)).build()));
		registry.retry("orders", "exponential");
		registry.retry("drawn", "drawn");
		return registry;
	}

	public static class Retried {

		@Backoff
		@Retryable
		public void frameworkDefaults() {
		}

		@Backoff
		@Retryable(maxRetries = 5, delay = 100, multiplier = 2, maxDelay = 500)
		public void frameworkNumbers() {
		}

		@Backoff
		@Retryable(maxRetries = 5, delay = 100, multiplier = 2, maxDelay = 500, jitter = 10, timeout = 30_000,
				includes = IOException.class)
		public void frameworkMore() {
		}

		@Backoff
		@Retryable(maxRetries = 2, delay = 20, multiplier = 3, timeUnit = java.util.concurrent.TimeUnit.SECONDS)
		public void frameworkLong() {
		}

		@Backoff
		@org.springframework.retry.annotation.Retryable
		public void springRetryDefaults() {
		}

		@Backoff
		@org.springframework.retry.annotation.Retryable(maxAttempts = 5,
				backoff = @org.springframework.retry.annotation.Backoff(delay = 10_000, multiplier = 2))
		public void springRetryNumbers() {
		}

		@Backoff
		@Retry(name = "orders")
		public void resilience() {
		}

		@Backoff
		@Retry(name = "drawn")
		public void drawn() {
		}

	}

}
