package dev.backoff.spring.otherretries;

import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.PolicyUse;

/**
 * The retry annotations of Spring Framework, Spring Retry and Resilience4j beside
 * {@code @Backoff}.
 */
final class OtherAnnotations {

	/* Spring Retry's, unless set or shorter than the delay. */
	private static final double SPRING_RETRY_CAP = 30_000;

	private final ConfigurableListableBeanFactory factory;

	OtherAnnotations(ConfigurableListableBeanFactory factory) {
		this.factory = factory;
	}

	List<OtherRetry> beside(PolicyUse use) {
		List<OtherRetry> found = new ArrayList<>(1);
		String policy = use.policy().name();
		MergedAnnotation<?> framework = find(use, "org.springframework.resilience.annotation.Retryable");
		if (framework.isPresent()) {
			found.add(retry("Spring Framework @Retryable", use, framework, "includes", framework(policy, framework)));
		}
		MergedAnnotation<?> springRetry = find(use, "org.springframework.retry.annotation.Retryable");
		if (springRetry.isPresent()) {
			found.add(retry("Spring Retry @Retryable", use, springRetry, "retryFor", springRetry(policy, springRetry)));
		}
		MergedAnnotation<?> resilience = find(use, "io.github.resilience4j.retry.annotation.Retry");
		if (resilience.isPresent()) {
			found.add(new OtherRetry("Resilience4j @Retry", use.method(),
					"what the instance " + resilience.getString("name") + " lists, by default any exception",
					"remove the annotation",
					ResilienceEquivalent.of(policy, resilience.getString("name"), this.factory)));
		}
		return found;
	}

	private static MergedAnnotation<?> find(PolicyUse use, String annotation) {
		AnnotatedMethod method = use.annotated();
		MergedAnnotation<?> onMethod = MergedAnnotations.from(method.method(), SearchStrategy.TYPE_HIERARCHY)
			.get(annotation);
		return onMethod.isPresent() ? onMethod
				: MergedAnnotations.from(method.type(), SearchStrategy.TYPE_HIERARCHY).get(annotation);
	}

	private static OtherRetry retry(String name, PolicyUse use, MergedAnnotation<?> annotation, String listed,
			@Nullable String equivalent) {
		List<String> failures = exceptions(annotation, listed);
		return new OtherRetry(name, use.method(), failures.isEmpty() ? "any exception" : String.join(", ", failures),
				"remove the annotation", equivalent);
	}

	private @Nullable String framework(String policy, MergedAnnotation<?> annotation) {
		Double retries = number(annotation, "maxRetries", "maxRetriesString");
		Double delay = number(annotation, "delay", "delayString");
		Double multiplier = number(annotation, "multiplier", "multiplierString");
		Double cap = number(annotation, "maxDelay", "maxDelayString");
		Double jitter = number(annotation, "jitter", "jitterString");
		Double timeout = number(annotation, "timeout", "timeoutString");
		if (retries == null || delay == null || multiplier == null || cap == null || jitter == null
				|| timeout == null) {
			return null;
		}
		double millis = annotation.getEnum("timeUnit", TimeUnit.class).toMillis(1);
		Equivalent equivalent = new Equivalent(policy, retries + 1, delay * millis, multiplier, cap * millis);
		if (jitter > 0 && delay > 0) {
			equivalent.jitter(Math.min(100, Math.round(100 * jitter / delay)) + "%",
					"theirs is " + Math.round(jitter * millis) + " ms more or less, whatever the cap");
		}
		return equivalent.deadline(timeout * millis)
			.exceptions(exceptions(annotation, "includes"), exceptions(annotation, "excludes"))
			.text();
	}

	private @Nullable String springRetry(String policy, MergedAnnotation<?> annotation) {
		MergedAnnotation<?> backoff = annotation.getAnnotation("backoff", Annotation.class);
		Double attempts = number(annotation, "maxAttempts", "maxAttemptsExpression");
		Double delay = number(backoff, "delay", "delayExpression");
		Double multiplier = number(backoff, "multiplier", "multiplierExpression");
		Double cap = number(backoff, "maxDelay", "maxDelayExpression");
		if (attempts == null || delay == null || multiplier == null || cap == null) {
			return null;
		}
		Equivalent equivalent = new Equivalent(policy, attempts, delay, (multiplier > 0) ? multiplier : 1,
				(cap > delay) ? cap : SPRING_RETRY_CAP);
		if (backoff.getBoolean("random")) {
			equivalent.jitter("full", "theirs only lengthens, and vanishes at the cap");
		}
		return equivalent.exceptions(exceptions(annotation, "retryFor"), exceptions(annotation, "noRetryFor")).text();
	}

	/**
	 * Return the number that an attribute resolves to, or null if it is an expression.
	 */
	private @Nullable Double number(MergedAnnotation<?> annotation, String attribute, String text) {
		try {
			Object value = annotation.getValue(text, String.class)
				.filter((written) -> !written.isEmpty())
				.<Object>map((written) -> Objects.requireNonNullElse(this.factory.resolveEmbeddedValue(written), ""))
				.or(() -> annotation.getValue(attribute))
				.orElse("");
			return Double.valueOf(value.toString());
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static List<String> exceptions(MergedAnnotation<?> annotation, String attribute) {
		return annotation.getValue(attribute, String[].class).stream().flatMap(Stream::of).toList();
	}

}
