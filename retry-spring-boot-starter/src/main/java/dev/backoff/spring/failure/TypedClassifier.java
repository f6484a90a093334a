package dev.backoff.spring.failure;

import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.RetryCause;

/** A classifier that knows only failures in which certain classes occur. */
interface TypedClassifier extends FailureClassifier {

	FailureClassification CONNECT = FailureClassification.transientFailure(RetryCause.CONNECT);

	/* No connection, or one that was lost midway, after an effect. */
	FailureClassification DISCONNECTED = CONNECT.withPossibleEffect();

	FailureClassification TIMEOUT = FailureClassification.transientFailure(RetryCause.TIMEOUT);

	FailureClassification POOL = FailureClassification.transientFailure(RetryCause.POOL);

	FailureClassification LOCK = FailureClassification.transientFailure(RetryCause.LOCK);

	FailureClassification IO = FailureClassification.transientFailure(RetryCause.IO);

	FailureClassification OTHER = FailureClassification.transientFailure(RetryCause.OTHER);

	FailureClassification PERMANENT = FailureClassification.permanent(RetryCause.OTHER);

	/** Return whether a failure of this class, or with a cause of it, may be known. */
	boolean mayKnow(Class<?> type);

}
