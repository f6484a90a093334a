package dev.backoff.failure;

import org.jspecify.annotations.Nullable;

/**
 * Classify the failures that this classifier knows.
 * <p>
 * Classifiers are asked in order, and the first answer counts. A classifier that throws
 * ends the call with the failure it was asked about. Implementations are thread-safe.
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

}
