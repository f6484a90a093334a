package dev.backoff.spring.layers;

import java.lang.annotation.Annotation;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;

/** The annotations of Spring Framework and Spring Retry, where they are enabled. */
final class AnnotationLayers implements RetryLayerFinder {

	static final String FRAMEWORK = "org.springframework.resilience.annotation.Retryable";

	static final String SPRING_RETRY = "org.springframework.retry.annotation.Retryable";

	/* Spring Retry's, unless set or shorter than the delay. */
	private static final double SPRING_RETRY_CAP = 30_000;

	@Override
	public void find(ConfigurableListableBeanFactory factory, BiConsumer<String, RetryLayer> found) {
		ExistingBeans beans = new ExistingBeans(factory);
		if (!beans.of("org.springframework.resilience.annotation.RetryAnnotationBeanPostProcessor").isEmpty()) {
			beans.visit(List.of(FRAMEWORK), (bean, method, annotation) -> {
				Double retries = beans.number(annotation, "maxRetries", "maxRetriesString");
				found.accept(bean, layer("Spring Framework @Retryable", method, (retries != null) ? retries + 1 : null,
						exceptions(annotation, "includes"), framework(beans, method, annotation, retries)));
			});
		}
		if (!beans.of("org.springframework.retry.annotation.RetryConfiguration").isEmpty()) {
			beans.visit(List.of(SPRING_RETRY), (bean, method, annotation) -> {
				Double attempts = beans.number(annotation, "maxAttempts", "maxAttemptsExpression");
				found.accept(bean, layer("Spring Retry @Retryable", method, attempts,
						exceptions(annotation, "retryFor"), springRetry(beans, method, annotation, attempts)));
			});
		}
	}

	private static RetryLayer layer(String name, String method, @Nullable Double attempts, List<String> failures,
			@Nullable String equivalent) {
		Integer counted = (attempts != null && attempts <= Integer.MAX_VALUE) ? attempts.intValue() : null;
		return new RetryLayer(name, method, counted, failures.isEmpty() ? "any exception" : String.join(", ", failures),
				"remove the annotation", equivalent);
	}

	private static @Nullable String framework(ExistingBeans beans, String method, MergedAnnotation<?> annotation,
			@Nullable Double retries) {
		Double delay = beans.number(annotation, "delay", "delayString");
		Double multiplier = beans.number(annotation, "multiplier", "multiplierString");
		Double cap = beans.number(annotation, "maxDelay", "maxDelayString");
		Double jitter = beans.number(annotation, "jitter", "jitterString");
		Double timeout = beans.number(annotation, "timeout", "timeoutString");
		if (retries == null || delay == null || multiplier == null || cap == null || jitter == null
				|| timeout == null) {
			return null;
		}
		double millis = annotation.getEnum("timeUnit", TimeUnit.class).toMillis(1);
		Equivalent equivalent = new Equivalent(method, retries + 1, delay * millis, multiplier, cap * millis);
		if (jitter > 0 && delay > 0) {
			equivalent.jitter(Math.min(100, Math.round(100 * jitter / delay)) + "%",
					"theirs is " + Math.round(jitter * millis) + " ms more or less, whatever the cap");
		}
		return equivalent.deadline(timeout * millis)
			.exceptions(exceptions(annotation, "includes"), exceptions(annotation, "excludes"))
			.text();
	}

	private static @Nullable String springRetry(ExistingBeans beans, String method, MergedAnnotation<?> annotation,
			@Nullable Double attempts) {
		MergedAnnotation<?> backoff = annotation.getAnnotation("backoff", Annotation.class);
		Double delay = beans.number(backoff, "delay", "delayExpression");
		Double multiplier = beans.number(backoff, "multiplier", "multiplierExpression");
		Double cap = beans.number(backoff, "maxDelay", "maxDelayExpression");
		if (attempts == null || delay == null || multiplier == null || cap == null) {
			return null;
		}
		Equivalent equivalent = new Equivalent(method, attempts, delay, (multiplier > 0) ? multiplier : 1,
				(cap > delay) ? cap : SPRING_RETRY_CAP);
		if (backoff.getBoolean("random")) {
			equivalent.jitter("full", "theirs only lengthens, and vanishes at the cap");
		}
		return equivalent.exceptions(exceptions(annotation, "retryFor"), exceptions(annotation, "noRetryFor")).text();
	}

	private static List<String> exceptions(MergedAnnotation<?> annotation, String attribute) {
		return annotation.getValue(attribute, String[].class).stream().flatMap(Stream::of).toList();
	}

}
