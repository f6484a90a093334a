package dev.backoff.failure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.StopReason;

/**
 * What a {@link FailureClassifier} says of a failure: whether it may pass, its cause, and
 * what the server asked for. Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class FailureClassification {

	/** Whether a failure may pass. */
	public enum Kind {

		/** The failure may pass: it is retried. */
		TRANSIENT,

		/** The server refuses because of load: the failure is retried, later. */
		THROTTLED,

		/**
		 * The failure will not pass: it is retried only if {@code retryOn} names its own
		 * class.
		 */
		PERMANENT

	}

	private final Kind kind;

	private final RetryCause cause;

	private final @Nullable Duration hint;

	private final boolean pushedBack;

	private final boolean withoutEffect;

	private final boolean retryableByKey;

	private FailureClassification(Kind kind, RetryCause cause, @Nullable Duration hint, boolean pushedBack,
			boolean withoutEffect, boolean retryableByKey) {
		this.kind = kind;
		this.cause = cause;
		this.hint = hint;
		this.pushedBack = pushedBack;
		this.withoutEffect = withoutEffect;
		this.retryableByKey = retryableByKey;
	}

	private static FailureClassification of(Kind kind, RetryCause cause) {
		boolean withoutEffect = kind == Kind.THROTTLED || cause == RetryCause.CONNECT || cause == RetryCause.POOL;
		return new FailureClassification(kind, cause, null, false, withoutEffect, false);
	}

	/**
	 * Say that the failure may pass.
	 * @param cause the kind of failure
	 * @return the classification
	 */
	public static FailureClassification transientFailure(RetryCause cause) {
		return of(Kind.TRANSIENT, cause);
	}

	/**
	 * Say that the server refuses because of load.
	 * @param cause the kind of failure
	 * @return the classification
	 */
	public static FailureClassification throttled(RetryCause cause) {
		return of(Kind.THROTTLED, cause);
	}

	/**
	 * Say that the failure will not pass.
	 * @param cause the kind of failure
	 * @return the classification
	 */
	public static FailureClassification permanent(RetryCause cause) {
		return of(Kind.PERMANENT, cause);
	}

	/**
	 * Add the wait that the server asked for. It is a floor under the policy's own delay;
	 * a wait above the policy's {@code retry-after.max} stops the call.
	 * @param wait the wait; a negative one counts as zero
	 * @return a classification with the hint
	 */
	public FailureClassification withHint(Duration wait) {
		return new FailureClassification(this.kind, this.cause, wait.isNegative() ? Duration.ZERO : wait, false,
				this.withoutEffect, this.retryableByKey);
	}

	/**
	 * Add that the server asked not to be called again.
	 * @return a classification that stops the call with {@link StopReason#HINT}
	 */
	public FailureClassification withPushback() {
		return new FailureClassification(this.kind, this.cause, null, true, this.withoutEffect, this.retryableByKey);
	}

	/**
	 * Add that the work was certainly not applied, so that it is retried even where it is
	 * {@linkplain Idempotency#NO not idempotent}. A refusal because of load, a failure to
	 * connect and an empty pool imply it.
	 * @return a classification that says so
	 */
	public FailureClassification withoutEffect() {
		return new FailureClassification(this.kind, this.cause, this.hint, this.pushedBack, true, this.retryableByKey);
	}

	/**
	 * Add that the work may have been applied, so that it is retried only where that does
	 * no harm.
	 * @return a classification that says so
	 */
	public FailureClassification withPossibleEffect() {
		return new FailureClassification(this.kind, this.cause, this.hint, this.pushedBack, false, this.retryableByKey);
	}

	/**
	 * Add that a permanent failure is retried where the server honours the
	 * {@linkplain Idempotency#BY_KEY idempotency key}, as for the answer to a request
	 * that arrives while an earlier one with the same key is still at work.
	 * @return a classification that says so
	 */
	public FailureClassification retryableByKey() {
		return new FailureClassification(this.kind, this.cause, this.hint, this.pushedBack, this.withoutEffect, true);
	}

	/**
	 * {@return whether the failure may pass}
	 */
	public Kind kind() {
		return this.kind;
	}

	/**
	 * {@return the cause that the metric tag shows}
	 */
	public RetryCause cause() {
		return this.cause;
	}

	/**
	 * {@return the wait that the server asked for; zero or more, or null if it asked for
	 * none}
	 */
	public @Nullable Duration hint() {
		return this.hint;
	}

	/**
	 * {@return whether the server asked not to be called again; true after
	 * {@link #withPushback()}}
	 */
	public boolean isPushedBack() {
		return this.pushedBack;
	}

	/**
	 * {@return whether the work was certainly not applied; false if it may have been}
	 */
	public boolean isWithoutEffect() {
		return this.withoutEffect;
	}

	/**
	 * {@return whether a permanent failure is retried where the key is honoured; true
	 * after {@link #retryableByKey()}}
	 */
	public boolean isRetryableByKey() {
		return this.retryableByKey;
	}

	@Override
	public String toString() {
		String wish = this.pushedBack ? ", do not retry" : (this.hint != null) ? ", hint " + this.hint : "";
		return this.kind + " (" + this.cause.tag() + wish + ")";
	}

}
