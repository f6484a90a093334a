package dev.backoff.benchmarks.quota;

import java.time.Clock;
import java.time.Duration;
import java.util.List;

import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.retry.RetryConfig;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.web.client.RestClientResponseException;

import dev.backoff.Retry;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.pace.Pace;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.failure.BuiltInFailureClassifiers;
import dev.backoff.time.RetryTime;

/**
 * A library that retries: at most four attempts, and 1 s doubled each time up to 10 s, as
 * random as the library makes it, where it does not follow {@code Retry-After}.
 */
public enum Contender {

	/** Spring Framework's own, which follows no hint. */
	FRAMEWORK("Framework @Retryable"),

	/** Resilience4j, with a function that reads the hint. */
	RESILIENCE4J("Resilience4j"),

	/** The same above a limiter that knows the quota. */
	RESILIENCE4J_WITH_LIMITER("Resilience4j with RateLimiter"),

	/** Ours, as it is without configuration. */
	BACKOFF("Backoff without a pace"),

	/** Ours, at a server that only hints. */
	PACE("Backoff with pace (hints)"),

	/** Ours, at a server that tells what remains. */
	PACE_TOLD("Backoff with pace (headers)");

	static final int ATTEMPTS = 4;

	private static final Duration BASE = Duration.ofSeconds(1);

	private static final Duration CAP = Duration.ofSeconds(10);

	private final String label;

	Contender(String label) {
		this.label = label;
	}

	/**
	 * Return how the figures call it.
	 * @return the label
	 */
	public String label() {
		return this.label;
	}

	/** Return a call with retries for an attempt without. */
	Runnable call(Runnable attempt) {
		return switch (this) {
			case FRAMEWORK -> framework(attempt);
			case RESILIENCE4J -> resilience4j(attempt);
			case RESILIENCE4J_WITH_LIMITER -> resilience4j(limited(attempt));
			case BACKOFF -> ours(attempt, null);
			case PACE, PACE_TOLD -> ours(attempt, pace());
		};
	}

	private static Runnable framework(Runnable attempt) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(Framework.class);
		context.registerBean(FrameworkCall.class, () -> new FrameworkCall(attempt));
		context.refresh();
		return context.getBean(FrameworkCall.class);
	}

	private static Runnable resilience4j(Runnable attempt) {
		IntervalFunction unhinted = IntervalFunction.ofExponentialRandomBackoff(BASE, 2, 0.99, CAP);
		return io.github.resilience4j.retry.Retry.decorateRunnable(io.github.resilience4j.retry.Retry.of("quota",
				RetryConfig.custom().maxAttempts(ATTEMPTS).intervalBiFunction((number, result) -> {
					String seconds = retryAfter(result.getLeft());
					return (seconds != null) ? 1_000 * Long.parseLong(seconds) : unhinted.apply(number);
				}).build()), attempt);
	}

	private static @Nullable String retryAfter(Throwable failure) {
		return (failure instanceof RestClientResponseException ex && ex.getResponseHeaders() != null)
				? ex.getResponseHeaders().getFirst("Retry-After") : null;
	}

	private static Runnable limited(Runnable attempt) {
		return RateLimiter.decorateRunnable(RateLimiter.of("quota",
				RateLimiterConfig.custom()
					.limitForPeriod(QuotaProvider.PER_SECOND)
					.limitRefreshPeriod(Duration.ofSeconds(1))
					.timeoutDuration(Duration.ofMinutes(1))
					.build()),
				attempt);
	}

	private static Pace pace() {
		return new Pace("quota", Duration.ofMinutes(1), 1_000, RetryTime.system(), (pace, hold) -> {
		});
	}

	private static Runnable ours(Runnable attempt, @Nullable Pace pace) {
		Retry retry = Retry
			.builder(RetryPolicy.builder("quota")
				.maxAttempts(ATTEMPTS)
				.base(BASE)
				.cap(CAP)
				.classifiers(List
					.of(new BuiltInFailureClassifiers(Contender.class.getClassLoader(), Clock.systemUTC(), true)))
				.build())
			.budget(RetryBudget.of("quota", BudgetSettings.DEFAULTS))
			.pace(pace)
			.build();
		return () -> retry.run(attempt::run);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods(proxyTargetClass = true)
	static class Framework {

	}

	static class FrameworkCall implements Runnable {

		private final Runnable attempt;

		FrameworkCall(Runnable attempt) {
			this.attempt = attempt;
		}

		@Override
		@Retryable(maxRetries = ATTEMPTS - 1, delay = 1_000, multiplier = 2, maxDelay = 10_000, jitter = 1_000)
		public void run() {
			this.attempt.run();
		}

	}

}
