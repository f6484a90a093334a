package dev.backoff.spring.layers;

import java.io.IOException;
import java.util.List;
import java.util.function.BiConsumer;

import io.github.resilience4j.core.IntervalBiFunction;
import io.github.resilience4j.core.functions.Either;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import io.github.resilience4j.retry.RetryRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The {@code @Retry} of Resilience4j, with the numbers of its registry. */
final class ResilienceLayers implements RetryLayerFinder {

	@Override
	public void find(ConfigurableListableBeanFactory factory, BiConsumer<String, RetryLayer> found) {
		ExistingBeans beans = new ExistingBeans(factory);
		beans.of(RetryRegistry.class.getName())
			.values()
			.forEach((registry) -> beans.visit(List.of("io.github.resilience4j.retry.annotation.Retry"),
					(bean, method, annotation) -> {
						String name = annotation.getString("name");
						RetryConfig config = ((RetryRegistry) registry).find(name)
							.map(Retry::getRetryConfig)
							.orElseGet(((RetryRegistry) registry)::getDefaultConfig);
						found.accept(bean,
								new RetryLayer("Resilience4j @Retry", method, config.getMaxAttempts(),
										"what the instance " + name + " lists, by default any exception",
										"remove the annotation", equivalent(name, config)));
					}));
	}

	/* What is drawn each time cannot be read. */
	private static @Nullable String equivalent(String name, RetryConfig config) {
		IntervalBiFunction<Object> intervals = config.getIntervalBiFunction();
		double base = interval(intervals, 1);
		if (base != interval(intervals, 1)) {
			return null;
		}
		int attempts = config.getMaxAttempts();
		double multiplier = (base > 0) ? interval(intervals, 2) / base : 1;
		return new Equivalent(name, attempts, base, multiplier, interval(intervals, Math.max(1, attempts - 1))).text()
				+ "      # retry-on, abort-on: its retryExceptions and ignoreExceptions\n";
	}

	private static double interval(IntervalBiFunction<Object> intervals, int attempt) {
		return intervals.apply(attempt, Either.left(new IOException()));
	}

}
