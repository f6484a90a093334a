package dev.backoff.benchmarks.outage;

import io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerAutoConfiguration;
import io.github.resilience4j.springboot.retry.autoconfigure.RetryAutoConfiguration;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.EnableRetry;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;

/**
 * A library that retries, as an application uses it: an annotation, four attempts, 100 ms
 * doubled each time up to 10 s, and as much jitter as it has.
 */
public enum Contender {

	/** Ours, as it is without configuration. */
	BACKOFF("Backoff (default)", Ours.class, ""),

	/** Ours, with the budget switched off. */
	BACKOFF_WITHOUT_BUDGET("Backoff without budget", OursWithoutBudget.class, ""),

	/** Spring Framework's own. */
	FRAMEWORK("Framework @Retryable", Framework.class, ""),

	/** Spring Retry. */
	SPRING_RETRY("Spring Retry", SpringRetry.class, ""),

	/** Resilience4j. */
	RESILIENCE4J("Resilience4j", Resilience4j.class, Contender.RESILIENCE4J_RETRY),

	/** Resilience4j with its breaker, as that is without configuration. */
	RESILIENCE4J_WITH_BREAKER("Resilience4j with breaker", Resilience4jWithBreaker.class, Contender.RESILIENCE4J_RETRY);

	private static final String RESILIENCE4J_RETRY = """
			resilience4j.retry.instances.partner.max-attempts=4
			resilience4j.retry.instances.partner.wait-duration=100ms
			resilience4j.retry.instances.partner.enable-exponential-backoff=true
			resilience4j.retry.instances.partner.exponential-backoff-multiplier=2
			resilience4j.retry.instances.partner.exponential-max-wait-duration=10s
			resilience4j.retry.instances.partner.enable-randomized-wait=true
			resilience4j.retry.instances.partner.randomized-wait-factor=0.99
			""";

	private final String label;

	private final Class<?> configuration;

	private final String properties;

	Contender(String label, Class<?> configuration, String properties) {
		this.label = label;
		this.configuration = configuration;
		this.properties = properties;
	}

	/**
	 * Return how the figures call it.
	 * @return the label
	 */
	public String label() {
		return this.label;
	}

	/**
	 * Start an application.
	 * @param call what its {@link DependencyCall} does
	 * @return the context
	 */
	public ConfigurableApplicationContext start(Runnable call) {
		return new SpringApplicationBuilder(this.configuration).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties(this.properties.lines().toArray(String[]::new))
			.initializers((context) -> context.getBeanFactory().registerSingleton("call", call))
			.run();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class,
			BackoffObservationAutoConfiguration.class })
	static class Ours {

		@Bean
		DependencyCall dependencyCall(Runnable call) {
			return new OursCall(call);
		}

		static class OursCall extends DependencyCall {

			OursCall(Runnable call) {
				super(call);
			}

			@Override
			@Backoff
			public void run() {
				super.run();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class,
			BackoffObservationAutoConfiguration.class })
	static class OursWithoutBudget {

		@Bean
		DependencyCall dependencyCall(Runnable call) {
			return new OursWithoutBudgetCall(call);
		}

		static class OursWithoutBudgetCall extends DependencyCall {

			OursWithoutBudgetCall(Runnable call) {
				super(call);
			}

			@Override
			@Backoff(budget = "none")
			public void run() {
				super.run();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Framework {

		@Bean
		DependencyCall dependencyCall(Runnable call) {
			return new FrameworkCall(call);
		}

		static class FrameworkCall extends DependencyCall {

			FrameworkCall(Runnable call) {
				super(call);
			}

			@Override
			@org.springframework.resilience.annotation.Retryable(maxRetries = 3, delay = 100, multiplier = 2,
					maxDelay = 10_000, jitter = 100)
			public void run() {
				super.run();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry
	static class SpringRetry {

		@Bean
		DependencyCall dependencyCall(Runnable call) {
			return new SpringRetryCall(call);
		}

		static class SpringRetryCall extends DependencyCall {

			SpringRetryCall(Runnable call) {
				super(call);
			}

			@Override
			@org.springframework.retry.annotation.Retryable(maxAttempts = 4,
					backoff = @org.springframework.retry.annotation.Backoff(delay = 100, multiplier = 2,
							maxDelay = 10_000, random = true))
			public void run() {
				super.run();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, RetryAutoConfiguration.class })
	static class Resilience4j {

		@Bean
		DependencyCall dependencyCall(Runnable call) {
			return new Resilience4jCall(call);
		}

		static class Resilience4jCall extends DependencyCall {

			Resilience4jCall(Runnable call) {
				super(call);
			}

			@Override
			@io.github.resilience4j.retry.annotation.Retry(name = "partner")
			public void run() {
				super.run();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, RetryAutoConfiguration.class,
			CircuitBreakerAutoConfiguration.class })
	static class Resilience4jWithBreaker {

		@Bean
		DependencyCall dependencyCall(Runnable call) {
			return new Resilience4jWithBreakerCall(call);
		}

		static class Resilience4jWithBreakerCall extends DependencyCall {

			Resilience4jWithBreakerCall(Runnable call) {
				super(call);
			}

			@Override
			@io.github.resilience4j.retry.annotation.Retry(name = "partner")
			@io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker(name = "partner")
			public void run() {
				super.run();
			}

		}

	}

}
