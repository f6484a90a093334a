package dev.backoff;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What one attempt came to: a value or a failure, with what the classification made of
 * it. Immutable.
 */
final class Outcome {

	private final AttemptOutcome kind;

	private final @Nullable Object value;

	private final @Nullable Throwable failure;

	private final RetryCause cause;

	private final @Nullable FailureClassification classification;

	private final Decision.@Nullable Stop refusal;

	private Outcome(AttemptOutcome kind, @Nullable Object value, @Nullable Throwable failure, RetryCause cause,
			@Nullable FailureClassification classification, Decision.@Nullable Stop refusal) {
		this.kind = kind;
		this.value = value;
		this.failure = failure;
		this.cause = cause;
		this.classification = classification;
		this.refusal = refusal;
	}

	/** A value, with the judgement of the policy's conditions. */
	static Outcome ofValue(AttemptOutcome kind, @Nullable Object value) {
		RetryCause cause = (kind == AttemptOutcome.PENDING) ? RetryCause.PENDING : RetryCause.RESULT;
		return new Outcome(kind, value, null, cause, null, null);
	}

	/** A failure that is worth another attempt. */
	static Outcome ofRetryable(Throwable failure, @Nullable FailureClassification classification) {
		RetryCause cause = (classification != null) ? classification.cause() : RetryCause.OTHER;
		boolean throttled = classification != null && classification.kind() == FailureClassification.Kind.THROTTLED;
		AttemptOutcome kind = throttled ? AttemptOutcome.THROTTLED : AttemptOutcome.TRANSIENT;
		return new Outcome(kind, null, failure, cause, classification, null);
	}

	/** An attempt that took too long, which is worth another one. */
	static Outcome ofTimeout(AttemptTimeoutException failure) {
		FailureClassification timeout = FailureClassification.transientFailure(RetryCause.TIMEOUT);
		return new Outcome(AttemptOutcome.TIMEOUT, null, failure, timeout.cause(), timeout, null);
	}

	/** A failure that is not worth another attempt. */
	static Outcome ofRefused(AttemptOutcome kind, Throwable failure, Decision.Stop refusal) {
		return new Outcome(kind, null, failure, RetryCause.OTHER, null, refusal);
	}

	/** The same, not worth another attempt. */
	Outcome refusedAs(Decision.Stop refusal) {
		return new Outcome(this.kind, this.value, this.failure, this.cause, this.classification, refusal);
	}

	AttemptOutcome kind() {
		return this.kind;
	}

	@Nullable Object value() {
		return this.value;
	}

	@Nullable Throwable failure() {
		return this.failure;
	}

	RetryCause cause() {
		return this.cause;
	}

	/** Return whether the work that failed may have been applied nevertheless. */
	boolean mayBeApplied() {
		return this.failure != null && (this.classification == null || !this.classification.isWithoutEffect());
	}

	/** Return the wait the server asked for. */
	@Nullable Duration hint() {
		return (this.classification != null) ? this.classification.hint() : null;
	}

	/** Return whether the server asked not to be called again. */
	boolean isPushedBack() {
		return this.classification != null && this.classification.isPushedBack();
	}

	/** Return why no attempt may follow whatever the limits say, or null. */
	Decision.@Nullable Stop refusal() {
		return this.refusal;
	}

}
