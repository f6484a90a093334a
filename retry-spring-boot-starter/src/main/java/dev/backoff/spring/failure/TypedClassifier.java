package dev.backoff.spring.failure;

import dev.backoff.failure.FailureClassifier;

/** A classifier that knows only failures in which certain classes occur. */
interface TypedClassifier extends FailureClassifier {

	/** Return whether a failure of this class, or with a cause of it, may be known. */
	boolean mayKnow(Class<?> type);

}
