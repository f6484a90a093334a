package dev.backoff.spring.failure;

import java.net.URI;

import feign.FeignException;
import feign.Request;
import feign.RetryableException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;

/**
 * Classify the exceptions of Feign, also where they are the cause of another exception,
 * by the same table as {@link RestClientFailureClassifier}. Feign wraps a response with
 * {@code Retry-After} once more, so the innermost of its exceptions counts.
 * <p>
 * Without a bad status, I/O counts as {@link IoFailureClassifier} says. Feign follows
 * redirects by settings of its own, so failed connections may have had an effect. A body
 * that cannot be encoded or decoded is permanent. Thread-safe.
 */
record FeignFailureClassifier(HttpStatusRules rules, IoFailureClassifier io) implements TypedClassifier {

	@Override
	public boolean mayKnow(Class<?> type) {
		return FeignException.class.isAssignableFrom(type);
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		FeignException found = innermost(failure);
		if (found == null) {
			return null;
		}
		HttpHeaders headers = new HttpHeaders();
		found.responseHeaders().forEach((name, values) -> values.forEach((value) -> headers.add(name, value)));
		FailureClassification byStatus = this.rules.classify(found.status(), headers);
		if (byStatus != null) {
			return byStatus;
		}
		FailureClassification byCause = this.io.classify(found);
		return (byCause != null) ? byCause
				: (found instanceof RetryableException) ? IO : PERMANENT.judging(FeignException.class);
	}

	@Override
	public @Nullable FailedRequest failedRequest(Throwable failure) {
		FeignException found = innermost(failure);
		if (found == null || !found.hasRequest()) {
			return (found != null) ? new FailedRequest(null, null) : null;
		}
		Request request = found.request();
		try {
			return new FailedRequest(request.httpMethod().name(), URI.create(request.url()));
		}
		catch (IllegalArgumentException ex) {
			return new FailedRequest(request.httpMethod().name(), null);
		}
	}

	private static @Nullable FeignException innermost(Throwable failure) {
		FeignException innermost = null;
		for (Throwable link : Causes.of(failure)) {
			innermost = (link instanceof FeignException found) ? found : innermost;
		}
		return innermost;
	}

}
