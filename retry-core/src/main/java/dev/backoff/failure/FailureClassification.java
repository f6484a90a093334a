package dev.backoff.failure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link FailureClassifier} says about a failure: whether it may pass, its cause,
 * and what the server asked for. Immutable and thread-safe.
 *
 * @param kind whether the failure may pass
 * @param cause the cause that the metric tag shows
 * @param hint the wait that the server asked for, zero or more, or null if it asked for
 * none
 * @param isPushedBack whether the server asked not to be called again
 * @param isWithoutEffect whether the work was certainly not applied; false if it may have
 * been
 * @param isUnapplied whether the request that failed was not applied; where a client
 * follows redirects, a request before it may have been
 * @param isRetryableByKey whether a permanent failure is retried where the idempotency
 * key is honoured
 * @param judgedType the exception type that makes the failure permanent, or null if a
 * status or the application does
 * @since 0.1
 */
public record FailureClassification(Kind kind, RetryCause cause, @Nullable Duration hint, boolean isPushedBack,
		boolean isWithoutEffect, boolean isUnapplied, boolean isRetryableByKey, @Nullable Class<?> judgedType) {

	/** Whether a failure may pass. */
	public enum Kind {

		/** The failure may pass: it is retried. */
		TRANSIENT,

		/** The server refuses because of load: the failure is retried, later. */
		THROTTLED,

		/**
		 * The failure will not pass: it is retried only if {@code retryOn} names its own
		 * class, the {@linkplain #judgedType() judged type} or a subclass of that type.
		 */
		PERMANENT

	}

	private static FailureClassification of(Kind kind, RetryCause cause) {
		boolean withoutEffect = kind == Kind.THROTTLED || cause == RetryCause.CONNECT || cause == RetryCause.POOL;
		return new FailureClassification(kind, cause, null, false, withoutEffect, withoutEffect, false, null);
	}

	/**
	 * Say that the failure may pass.
	 * @param cause the cause of the failure
	 * @return the classification
	 */
	public static FailureClassification transientFailure(RetryCause cause) {
		return of(Kind.TRANSIENT, cause);
	}

	/**
	 * Say that the server refuses because of load.
	 * @param cause the cause of the failure
	 * @return the classification
	 */
	public static FailureClassification throttled(RetryCause cause) {
		return of(Kind.THROTTLED, cause);
	}

	/**
	 * Say that the failure will not pass.
	 * @param cause the cause of the failure
	 * @return the classification
	 */
	public static FailureClassification permanent(RetryCause cause) {
		return of(Kind.PERMANENT, cause);
	}

	/**
	 * Add the wait that the server asked for. The policy's delay is never shorter than
	 * this wait. A wait above the policy's {@code retry-after.max} stops the call.
	 * @param wait the wait; a negative one counts as zero
	 * @return a classification with the hint
	 */
	public FailureClassification withHint(Duration wait) {
		return new FailureClassification(this.kind, this.cause, wait.isNegative() ? Duration.ZERO : wait, false,
				this.isWithoutEffect, this.isUnapplied, this.isRetryableByKey, this.judgedType);
	}

	/**
	 * Add that the server asked not to be called again.
	 * @return a classification that stops the call with the stop reason {@code HINT}
	 */
	public FailureClassification withPushback() {
		return new FailureClassification(this.kind, this.cause, null, true, this.isWithoutEffect, this.isUnapplied,
				this.isRetryableByKey, this.judgedType);
	}

	/**
	 * Add that the work was certainly not applied, so that it is retried even if it is
	 * {@linkplain Idempotency#NO not idempotent}. A refusal because of load, a failure to
	 * connect and an empty pool imply that the work was not applied.
	 * @return a classification that says so
	 */
	public FailureClassification withoutEffect() {
		return withEffect(true, true);
	}

	/**
	 * Add that the request that failed was not applied, although the work may have been:
	 * the client may have followed a redirect of a request that was. Such a failure is
	 * retried {@linkplain Idempotency#BY_METHOD by method}.
	 * @return a classification that says so
	 */
	public FailureClassification unapplied() {
		return withEffect(false, true);
	}

	/**
	 * Add that the work may have been applied, so that it is retried only where applying
	 * it twice does no harm.
	 * @return a classification that says so
	 */
	public FailureClassification withPossibleEffect() {
		return withEffect(false, false);
	}

	private FailureClassification withEffect(boolean withoutEffect, boolean unapplied) {
		return new FailureClassification(this.kind, this.cause, this.hint, this.isPushedBack, withoutEffect, unapplied,
				this.isRetryableByKey, this.judgedType);
	}

	/**
	 * Add that a permanent failure is retried where the server honours the
	 * {@linkplain Idempotency#BY_KEY idempotency key}. An example is the answer to a
	 * request that arrives while an earlier request with the same key is still at work.
	 * @return a classification that says so
	 */
	public FailureClassification retryableByKey() {
		return new FailureClassification(this.kind, this.cause, this.hint, this.isPushedBack, this.isWithoutEffect,
				this.isUnapplied, true, this.judgedType);
	}

	/**
	 * Add the exception type that makes the failure permanent, if the classifier judges
	 * exception types and not statuses. A {@code retryOn} that names that type or a
	 * subclass of it overrules the classification.
	 * @param type the type of the failure or of one of its causes
	 * @return a classification that says so
	 */
	public FailureClassification judging(Class<?> type) {
		return new FailureClassification(this.kind, this.cause, this.hint, this.isPushedBack, this.isWithoutEffect,
				this.isUnapplied, this.isRetryableByKey, type);
	}

	@Override
	public String toString() {
		String wish = this.isPushedBack ? ", do not retry" : (this.hint != null) ? ", hint " + this.hint : "";
		return this.kind + " (" + this.cause.tag() + wish + ")";
	}

}
