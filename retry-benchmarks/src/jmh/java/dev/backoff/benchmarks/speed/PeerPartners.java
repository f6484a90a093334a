package dev.backoff.benchmarks.speed;

import java.util.concurrent.CompletableFuture;

import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerAutoConfiguration;
import io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerMetricsAutoConfiguration;
import io.github.resilience4j.springboot.retry.autoconfigure.RetryAutoConfiguration;
import io.github.resilience4j.springboot.retry.autoconfigure.RetryMetricsAutoConfiguration;
import io.micrometer.core.annotation.Timed;
import io.micrometer.core.aop.TimedAspect;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.backoff.Sleeper;

/** Partners that retry by the annotations of others. */
final class PeerPartners {

	private PeerPartners() {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Framework {

		@Bean
		Partner partner(Integer failures) {
			return new FrameworkPartner(failures);
		}

		static class FrameworkPartner extends Partner {

			FrameworkPartner(int failures) {
				super(failures);
			}

			@Override
			@org.springframework.resilience.annotation.Retryable(maxRetries = 3, delay = 0)
			public String ask(String question) {
				return super.ask(question);
			}

			@Override
			@org.springframework.resilience.annotation.Retryable(maxRetries = 3, delay = 0)
			public CompletableFuture<String> askLater(String question) {
				return super.askLater(question);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class FrameworkTimed {

		@Bean
		TimedAspect timedAspect(MeterRegistry registry) {
			return new TimedAspect(registry);
		}

		@Bean
		Partner partner(Integer failures) {
			return new FrameworkTimedPartner(failures);
		}

		static class FrameworkTimedPartner extends Partner {

			FrameworkTimedPartner(int failures) {
				super(failures);
			}

			@Override
			@Timed("partner")
			@org.springframework.resilience.annotation.Retryable(maxRetries = 3, delay = 0)
			public String ask(String question) {
				return super.ask(question);
			}

			@Override
			@Timed("partner")
			@org.springframework.resilience.annotation.Retryable(maxRetries = 3, delay = 0)
			public CompletableFuture<String> askLater(String question) {
				return super.askLater(question);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry
	static class SpringRetry {

		/* It makes at least a millisecond of no delay. */
		@Bean
		Sleeper sleeper() {
			return (millis) -> {
			};
		}

		@Bean
		Partner partner(Integer failures) {
			return new SpringRetryPartner(failures);
		}

		static class SpringRetryPartner extends Partner {

			SpringRetryPartner(int failures) {
				super(failures);
			}

			@Override
			@org.springframework.retry.annotation.Retryable(maxAttempts = 4,
					backoff = @org.springframework.retry.annotation.Backoff(delay = 0))
			public String ask(String question) {
				return super.ask(question);
			}

			@Override
			@org.springframework.retry.annotation.Retryable(maxAttempts = 4,
					backoff = @org.springframework.retry.annotation.Backoff(delay = 0))
			public CompletableFuture<String> askLater(String question) {
				return super.askLater(question);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ RetryAutoConfiguration.class, RetryMetricsAutoConfiguration.class })
	static class Resilience4j {

		@Bean
		Partner partner(Integer failures) {
			return new Resilience4jPartner(failures);
		}

		static class Resilience4jPartner extends Partner {

			Resilience4jPartner(int failures) {
				super(failures);
			}

			@Override
			@Retry(name = "partner")
			public String ask(String question) {
				return super.ask(question);
			}

			@Override
			@Retry(name = "partner")
			public CompletableFuture<String> askLater(String question) {
				return super.askLater(question);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ RetryAutoConfiguration.class, RetryMetricsAutoConfiguration.class,
			CircuitBreakerAutoConfiguration.class, CircuitBreakerMetricsAutoConfiguration.class })
	static class Resilience4jBreaker {

		@Bean
		Partner partner(Integer failures) {
			return new Resilience4jBreakerPartner(failures);
		}

		static class Resilience4jBreakerPartner extends Partner {

			Resilience4jBreakerPartner(int failures) {
				super(failures);
			}

			@Override
			@Retry(name = "partner")
			@CircuitBreaker(name = "partner")
			public String ask(String question) {
				return super.ask(question);
			}

			@Override
			@Retry(name = "partner")
			@CircuitBreaker(name = "partner")
			public CompletableFuture<String> askLater(String question) {
				return super.askLater(question);
			}

		}

	}

}
