package dev.backoff.spring.failure;

import java.time.Clock;

import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;

/**
 * Classify exceptions that carry the status of the application's own answer
 * ({@code ResponseStatusException} and every other {@link ErrorResponse}, and classes
 * with {@link ResponseStatus}) by the same table as {@link RestClientFailureClassifier}.
 * <p>
 * Such a status says what our caller shall be told, and less of what happened than the
 * failure of a client or a database among the causes: so this classifier is asked after
 * theirs. The first of the failure and its causes that has a status of 4xx or 5xx counts.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class WebStatusFailureClassifier implements FailureClassifier {

	private final HttpStatusRules rules;

	/**
	 * Create the classifier.
	 * @param clock tells the time when a response names a date to wait for
	 */
	public WebStatusFailureClassifier(Clock clock) {
		this.rules = new HttpStatusRules(clock);
	}

	/**
	 * Return whether it may say something where a failure or a cause is of this class.
	 */
	static boolean mayKnow(Class<?> type) {
		return ErrorResponse.class.isAssignableFrom(type)
				|| AnnotatedElementUtils.findMergedAnnotation(type, ResponseStatus.class) != null;
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		for (Throwable link : Causes.of(failure)) {
			FailureClassification classification = classifyAlone(link);
			if (classification != null) {
				return classification;
			}
		}
		return null;
	}

	private @Nullable FailureClassification classifyAlone(Throwable link) {
		if (link instanceof ErrorResponse response) {
			return this.rules.classify(response.getStatusCode().value(), response.getHeaders());
		}
		ResponseStatus status = AnnotatedElementUtils.findMergedAnnotation(link.getClass(), ResponseStatus.class);
		return (status != null) ? this.rules.classify(status.code().value(), null) : null;
	}

}
