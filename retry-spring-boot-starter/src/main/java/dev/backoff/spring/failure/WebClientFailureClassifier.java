package dev.backoff.spring.failure;

import java.time.Clock;

import org.jspecify.annotations.Nullable;

import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;

/**
 * Classify the exceptions of {@code WebClient}, also where they are the cause of another
 * exception, by the same table as {@link RestClientFailureClassifier}.
 * <p>
 * A response with a good status whose body failed is judged by that failure: I/O by
 * {@link IoFailureClassifier}, and permanent if the body cannot be decoded, since the
 * server has done the work. A request that failed for an illegal argument, such as a URI
 * without a host, is permanent too. Thread-safe.
 */
final class WebClientFailureClassifier implements TypedClassifier {

	private final HttpStatusRules rules;

	private final IoFailureClassifier io = new IoFailureClassifier();

	WebClientFailureClassifier(Clock clock) {
		this.rules = new HttpStatusRules(clock);
	}

	@Override
	public boolean mayKnow(Class<?> type) {
		return WebClientResponseException.class.isAssignableFrom(type)
				|| WebClientRequestException.class.isAssignableFrom(type);
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		WebClientResponseException response = Causes.find(failure, WebClientResponseException.class);
		if (response != null) {
			FailureClassification status = this.rules.classify(response.getStatusCode().value(), response.getHeaders());
			return (status != null) ? status : classifyBody(response);
		}
		WebClientRequestException request = Causes.find(failure, WebClientRequestException.class);
		return (request != null) ? classifyRequest(request) : null;
	}

	private @Nullable FailureClassification classifyBody(WebClientResponseException response) {
		if (response.getCause() == null) {
			return null;
		}
		FailureClassification io = this.io.classify(response);
		return (io != null) ? io : FailureClassification.permanent(RetryCause.OTHER);
	}

	private FailureClassification classifyRequest(WebClientRequestException request) {
		FailureClassification io = this.io.classify(request);
		if (io != null) {
			return io;
		}
		return (request.getCause() instanceof IllegalArgumentException)
				? FailureClassification.permanent(RetryCause.OTHER)
				: FailureClassification.transientFailure(RetryCause.IO);
	}

}
