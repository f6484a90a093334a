package dev.backoff.spring.otherretries;

import java.io.IOException;
import java.util.stream.IntStream;

import io.github.resilience4j.core.IntervalBiFunction;
import io.github.resilience4j.core.functions.Either;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import io.github.resilience4j.retry.RetryRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The policy for an instance of Resilience4j, with the numbers of its registry. */
final class ResilienceEquivalent {

	private ResilienceEquivalent() {
	}

	/**
	 * Return the configuration, or null if delays are drawn or no registry is known.
	 */
	static @Nullable String of(String policy, String instance, ConfigurableListableBeanFactory factory) {
		for (String name : factory.getSingletonNames()) {
			if (factory.getSingleton(name) instanceof RetryRegistry registry) {
				return of(policy,
						registry.find(instance).map(Retry::getRetryConfig).orElseGet(registry::getDefaultConfig));
			}
		}
		return null;
	}

	private static @Nullable String of(String policy, RetryConfig config) {
		IntervalBiFunction<Object> intervals = config.getIntervalBiFunction();
		double base = interval(intervals, 1);
		// in whole milliseconds: two of a hundred values may be the same, ten hardly ever
		if (IntStream.range(0, 10).anyMatch((i) -> interval(intervals, 1) != base)) {
			return null;
		}
		int attempts = config.getMaxAttempts();
		double multiplier = (base > 0) ? interval(intervals, 2) / base : 1;
		return new Equivalent(policy, attempts, base, multiplier, interval(intervals, Math.max(1, attempts - 1))).text()
				+ "      # retry-on, abort-on: its retryExceptions and ignoreExceptions\n";
	}

	private static double interval(IntervalBiFunction<Object> intervals, int attempt) {
		return intervals.apply(attempt, Either.left(new IOException()));
	}

}
