package dev.backoff.spring.failure;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpRequest;
import org.springframework.web.reactive.function.client.WebClientException;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;

/**
 * Classify the exceptions of {@code WebClient}, also where they are the cause of another
 * exception, by the same table as {@link RestClientFailureClassifier}.
 * <p>
 * A response with a good status whose body failed is judged by that failure: I/O by
 * {@link IoFailureClassifier}, and permanent if the body cannot be decoded, since the
 * server has done the work. A request that failed for an illegal argument, such as a URI
 * without a host, is permanent too. A response that is no HTTP counts as I/O.
 * <p>
 * The exceptions name the method and the URI of their request, so that a {@code POST} and
 * its host are known for clients without our filter too. Thread-safe.
 */
record WebClientFailureClassifier(HttpStatusRules rules, IoFailureClassifier io) implements TypedClassifier {

	@Override
	public boolean mayKnow(Class<?> type) {
		return WebClientException.class.isAssignableFrom(type);
	}

	@Override
	public @Nullable FailedRequest failedRequest(Throwable failure) {
		WebClientException found = Causes.find(failure, WebClientException.class);
		if (found instanceof WebClientRequestException failed) {
			return new FailedRequest(failed.getMethod().name(), failed.getUri());
		}
		HttpRequest request = (found instanceof WebClientResponseException response) ? response.getRequest() : null;
		return (request != null) ? new FailedRequest(request.getMethod().name(), request.getURI())
				: (found != null) ? new FailedRequest(null, null) : null;
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		WebClientResponseException response = Causes.find(failure, WebClientResponseException.class);
		if (response != null) {
			FailureClassification status = this.rules.classify(response.getStatusCode().value(), response.getHeaders());
			Throwable cause = Causes.cause(response);
			return (status != null || cause == null) ? status : byCause(response,
					IoFailureClassifier.isResponseMalformed(cause) ? IO : PERMANENT.judging(cause.getClass()));
		}
		WebClientRequestException request = Causes.find(failure, WebClientRequestException.class);
		if (request == null) {
			return null;
		}
		return byCause(request, IoFailureClassifier.isArgumentRefused(Causes.cause(request))
				? PERMANENT.judging(IllegalArgumentException.class) : IO);
	}

	private FailureClassification byCause(Throwable failure, FailureClassification otherwise) {
		FailureClassification io = this.io.classify(failure);
		return (io != null) ? io : otherwise;
	}

}
