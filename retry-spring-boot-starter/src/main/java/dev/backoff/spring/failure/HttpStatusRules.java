package dev.backoff.spring.failure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;

/**
 * The classification of an HTTP status.
 *
 * <pre>
 * 408, 425                       transient
 * 429                            throttled
 * 503, 529                       throttled with a hint, else transient
 * 409                            permanent, but retryable by key
 * other 4xx                      permanent
 * 501, 505, 506, 508, 510, 511   permanent
 * other 5xx                      transient, also those of proxies and without a standard
 * any other status               nothing
 * </pre>
 *
 * Transient and throttled failures carry the server's hint, and so does a conflict: it
 * answers a request whose idempotency key belongs to a request still at work.
 * Thread-safe.
 */
record HttpStatusRules(ServerHints hints) {

	/** Classify a response, or return null if its status is no failure. */
	@Nullable FailureClassification classify(int status, @Nullable HttpHeaders headers) {
		Duration hint = (headers != null) ? this.hints.wait(headers) : null;
		return switch (status) {
			case 408, 504 -> hinted(FailureClassification.transientFailure(RetryCause.TIMEOUT), hint);
			case 409 -> hinted(FailureClassification.permanent(RetryCause.OTHER).retryableByKey(), hint);
			case 425 -> hinted(FailureClassification.transientFailure(RetryCause.OTHER).unapplied(), hint);
			case 429 -> hinted(FailureClassification.throttled(RetryCause.HTTP_429), hint);
			case 501, 505, 506, 508, 510, 511 -> FailureClassification.permanent(RetryCause.HTTP_5XX);
			case 503 -> overloaded(RetryCause.HTTP_503, hint);
			case 529 -> overloaded(RetryCause.HTTP_5XX, hint);
			default -> (status < 400 || status > 599) ? null
					: (status < 500) ? FailureClassification.permanent(RetryCause.OTHER)
							: hinted(FailureClassification.transientFailure(RetryCause.HTTP_5XX), hint);
		};
	}

	private static FailureClassification overloaded(RetryCause cause, @Nullable Duration hint) {
		return (hint != null) ? FailureClassification.throttled(cause).withHint(hint)
				: FailureClassification.transientFailure(cause);
	}

	private static FailureClassification hinted(FailureClassification classification, @Nullable Duration hint) {
		return (hint != null) ? classification.withHint(hint) : classification;
	}

}
