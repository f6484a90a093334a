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

	private static final FailureClassification PERMANENT = FailureClassification.permanent(RetryCause.OTHER);

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
			return (status != null || response.getCause() == null) ? status : byCause(response, PERMANENT);
		}
		WebClientRequestException request = Causes.find(failure, WebClientRequestException.class);
		if (request == null) {
			return null;
		}
		return byCause(request, (request.getCause() instanceof IllegalArgumentException) ? PERMANENT
				: FailureClassification.transientFailure(RetryCause.IO));
	}

	private FailureClassification byCause(Throwable failure, FailureClassification otherwise) {
		FailureClassification io = this.io.classify(failure);
		return (io != null) ? io : otherwise;
	}

}
