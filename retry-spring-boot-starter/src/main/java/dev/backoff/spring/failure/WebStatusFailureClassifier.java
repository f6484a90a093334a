package dev.backoff.spring.failure;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;

/**
 * Classify exceptions that carry the status of the application's own answer
 * ({@code ResponseStatusException} and every other {@link ErrorResponse}, and classes
 * with {@link ResponseStatus}) by the same table as {@link RestClientFailureClassifier}.
 * <p>
 * Such a status is meant for our caller. The failure of a client or a database among the
 * causes describes more precisely what happened, so its classifier is asked before. The
 * first of the failure and its causes with a status of 4xx or 5xx counts. Thread-safe.
 */
record WebStatusFailureClassifier(HttpStatusRules rules) implements TypedClassifier {

	@Override
	public boolean mayKnow(Class<?> type) {
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
