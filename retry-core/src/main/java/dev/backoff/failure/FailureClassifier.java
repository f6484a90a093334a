package dev.backoff.failure;

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

}
