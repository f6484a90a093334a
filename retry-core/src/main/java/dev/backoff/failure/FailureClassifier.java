package dev.backoff.failure;

import java.net.URI;

import org.jspecify.annotations.Nullable;

/**
 * A classifier of the failures that it knows.
 * <p>
 * Classifiers are asked in order, and the first answer counts. If a classifier throws,
 * the call ends with the failure that was to be classified. Implementations are
 * thread-safe.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface FailureClassifier {

	/**
	 * Classify a failure.
	 * @param failure what an attempt threw; its causes may be searched with
	 * {@link Causes}
	 * @return the classification, or null for a failure this classifier does not know
	 */
	@Nullable FailureClassification classify(Throwable failure);

	/**
	 * Return the HTTP request whose failure an HTTP client has reported. All classifiers
	 * of a policy are asked, whichever of them classifies the failure.
	 * @param failure what an attempt threw
	 * @return the request, or null if the failure is not an HTTP client's
	 */
	default @Nullable FailedRequest failedRequest(Throwable failure) {
		return null;
	}

	/**
	 * An HTTP request that failed.
	 *
	 * @param method the HTTP method in upper case, or null if the failure does not tell
	 * @param uri the address, of which the stop report names host and port, or null
	 */
	record FailedRequest(@Nullable String method, @Nullable URI uri) {
	}

}
