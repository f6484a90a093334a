package dev.backoff.spring.failure;

import org.jspecify.annotations.Nullable;

import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestClientResponseException;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;

/**
 * Classify the exceptions of {@code RestClient} and {@code RestTemplate}, also where they
 * are the cause of another exception.
 *
 * <pre>
 * a bad status                       as {@link HttpStatusRules} says
 * I/O, also while a body is read     as {@link IoFailureClassifier} says
 * a body that cannot be converted    permanent: the server has done the work
 * </pre>
 *
 * Thread-safe.
 */
record RestClientFailureClassifier(HttpStatusRules rules, IoFailureClassifier io) implements TypedClassifier {

	@Override
	public boolean mayKnow(Class<?> type) {
		return RestClientException.class.isAssignableFrom(type);
	}

	/* These exceptions do not tell which request failed. */
	@Override
	public @Nullable FailedRequest failedRequest(Throwable failure) {
		return (Causes.find(failure, RestClientException.class) != null) ? new FailedRequest(null, null) : null;
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		RestClientResponseException response = Causes.find(failure, RestClientResponseException.class);
		if (response != null) {
			return this.rules.classify(response.getStatusCode().value(), response.getResponseHeaders());
		}
		RestClientException found = Causes.find(failure, RestClientException.class);
		FailureClassification io = (found != null) ? this.io.classify(found) : null;
		return (io == null && found instanceof ResourceAccessException) ? IO : io;
	}

}
