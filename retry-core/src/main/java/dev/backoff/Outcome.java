package dev.backoff;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;

/**
 * What one attempt came to: a value or a failure, with what the classification made of
 * it. Immutable.
 */
final class Outcome {

	/* Loads what is needed below before the stack overflows in some attempt. */
	private static final FailureClassification TIMEOUT = FailureClassification.transientFailure(RetryCause.TIMEOUT);

	private final AttemptOutcome kind;

	private final @Nullable Object result;

	/* Of a failure: its classification, or why it is refused. */
	private final @Nullable Object judgement;

	private Outcome(AttemptOutcome kind, @Nullable Object result, @Nullable Object judgement) {
		this.kind = kind;
		this.result = result;
		this.judgement = judgement;
	}

	/** The same as one whose parts somebody has kept. */
	static Outcome ofParts(AttemptOutcome kind, @Nullable Object result, @Nullable Object judgement) {
		return new Outcome(kind, result, judgement);
	}

	/** A value, with the judgement of the policy's conditions. */
	static Outcome ofValue(AttemptOutcome kind, @Nullable Object value) {
		return new Outcome(kind, value, null);
	}

	/** A failure that is worth another attempt. */
	static Outcome ofRetryable(Throwable failure, @Nullable FailureClassification classification) {
		boolean throttled = classification != null && classification.kind() == FailureClassification.Kind.THROTTLED;
		return new Outcome(throttled ? AttemptOutcome.THROTTLED : AttemptOutcome.TRANSIENT, failure, classification);
	}

	/** An attempt that took too long, which is worth another one. */
	static Outcome ofTimeout(AttemptTimeoutException failure) {
		return new Outcome(AttemptOutcome.TIMEOUT, failure, TIMEOUT);
	}

	/** A failure that is not worth another attempt. */
	static Outcome ofRefused(AttemptOutcome kind, Throwable failure, Decision.Stop refusal) {
		return new Outcome(kind, failure, refusal);
	}

	/** The same, not worth another attempt. */
	Outcome refusedAs(Decision.Stop refusal) {
		return new Outcome(this.kind, this.result, refusal);
	}

	/** Return the value or the failure, to be kept. */
	@Nullable Object result() {
		return this.result;
	}

	/** Return what is known of a failure, to be kept. */
	@Nullable Object judgement() {
		return this.judgement;
	}

	AttemptOutcome kind() {
		return this.kind;
	}

	@Nullable Object value() {
		return isValue() ? this.result : null;
	}

	@Nullable Throwable failure() {
		return isValue() ? null : (Throwable) this.result;
	}

	private boolean isValue() {
		return this.kind == AttemptOutcome.SUCCESS || this.kind == AttemptOutcome.RESULT
				|| this.kind == AttemptOutcome.PENDING;
	}

	RetryCause cause() {
		if (isValue()) {
			return (this.kind == AttemptOutcome.PENDING) ? RetryCause.PENDING : RetryCause.RESULT;
		}
		FailureClassification classification = classification();
		return (classification != null) ? classification.cause() : RetryCause.OTHER;
	}

	/** Return whether the work that failed may have been applied nevertheless. */
	boolean mayBeApplied() {
		FailureClassification classification = classification();
		return !isValue() && (classification == null || !classification.isWithoutEffect());
	}

	/** Return the wait the server asked for. */
	@Nullable Duration hint() {
		FailureClassification classification = classification();
		return (classification != null) ? classification.hint() : null;
	}

	/** Return whether the server asked not to be called again. */
	boolean isPushedBack() {
		FailureClassification classification = classification();
		return classification != null && classification.isPushedBack();
	}

	private @Nullable FailureClassification classification() {
		return (this.judgement instanceof FailureClassification classification) ? classification : null;
	}

	/** Return why no attempt may follow whatever the limits say, or null. */
	Decision.@Nullable Stop refusal() {
		return (this.judgement instanceof Decision.Stop refusal) ? refusal : null;
	}

}
