package dev.backoff.spring.failure;

import java.net.URI;
import java.time.Clock;
import java.util.Collection;
import java.util.Map;

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
 * that cannot be encoded or decoded is permanent. Feign is known by name only.
 * Thread-safe.
 */
record FeignFailureClassifier(HttpStatusRules rules, IoFailureClassifier io) implements TypedClassifier {

	/* What the types mean without a bad status. */
	private static final ClassTable TYPES = new ClassTable().with(PERMANENT, "feign.FeignException")
		.with(IO, "feign.RetryableException");

	FeignFailureClassifier(Clock clock) {
		this(new HttpStatusRules(new ServerHints(clock)), new IoFailureClassifier(true));
	}

	@Override
	public boolean mayKnow(Class<?> type) {
		return TYPES.of(type) != null;
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		Throwable found = innermost(failure);
		if (found == null) {
			return null;
		}
		int status = (TypedClassifier.read(found, "status") instanceof Integer number) ? number : 0;
		FailureClassification byStatus = this.rules.classify(status, headers(found));
		if (byStatus != null) {
			return byStatus;
		}
		FailureClassification byCause = this.io.classify(found);
		return (byCause != null) ? byCause : TYPES.of(found.getClass());
	}

	@Override
	public @Nullable FailedRequest failedRequest(Throwable failure) {
		Throwable found = innermost(failure);
		Object request = (found != null) ? TypedClassifier.read(found, "request") : null;
		if (request == null) {
			return (found != null) ? new FailedRequest(null, null) : null;
		}
		String method = String.valueOf(TypedClassifier.read(request, "httpMethod"));
		try {
			return new FailedRequest(method, URI.create(String.valueOf(TypedClassifier.read(request, "url"))));
		}
		catch (IllegalArgumentException ex) {
			return new FailedRequest(method, null);
		}
	}

	private @Nullable Throwable innermost(Throwable failure) {
		return Causes.of(failure)
			.stream()
			.filter((link) -> mayKnow(link.getClass()))
			.reduce((outer, inner) -> inner)
			.orElse(null);
	}

	private static HttpHeaders headers(Throwable failure) {
		HttpHeaders headers = new HttpHeaders();
		if (TypedClassifier.read(failure, "responseHeaders") instanceof Map<?, ?> response) {
			response.forEach((name, values) -> ((Collection<?>) values)
				.forEach((value) -> headers.add(name.toString(), value.toString())));
		}
		return headers;
	}

}
