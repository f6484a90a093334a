package dev.backoff;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CircuitBreaker.Verdict;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;

/**
 * What one attempt came to: a value or a failure, with what was made of it.
 *
 * @param value what it returned, if it threw nothing
 * @param failure what it threw, or null
 * @param classification what a classifier made of the failure, or null
 * @param refusal why no attempt may follow whatever the limits say, or null
 */
record Outcome(AttemptOutcome kind, @Nullable Object value, @Nullable Throwable failure,
		@Nullable FailureClassification classification, Decision.@Nullable Stop refusal) {

	static Outcome ofValue(AttemptOutcome kind, @Nullable Object value) {
		return new Outcome(kind, value, null, null, null);
	}

	static Outcome ofRetryable(Throwable failure, @Nullable FailureClassification classification) {
		boolean throttled = classification != null && classification.kind() == FailureClassification.Kind.THROTTLED;
		return new Outcome(throttled ? AttemptOutcome.THROTTLED : AttemptOutcome.TRANSIENT, null, failure,
				classification, null);
	}

	static Outcome ofTimeout(AttemptTimeoutException failure) {
		FailureClassification timeout = FailureClassification.transientFailure(RetryCause.TIMEOUT);
		return new Outcome(AttemptOutcome.TIMEOUT, null, failure, failure.isBegun() ? timeout : timeout.withoutEffect(),
				null);
	}

	static Outcome ofRefused(AttemptOutcome kind, @Nullable Throwable failure, Decision.Stop refusal) {
		return new Outcome(kind, null, failure, null, refusal);
	}

	/** Return whether the failure is the virtual machine's own: it is left as it is. */
	static boolean isFatal(Throwable failure) {
		return failure instanceof VirtualMachineError || failure instanceof ThreadDeath
				|| failure instanceof LinkageError;
	}

	/** Return the same outcome, not worth another attempt. */
	Outcome refusedAs(Decision.Stop refusal) {
		return new Outcome(this.kind, this.value, this.failure, null, refusal);
	}

	/** Return what makes a retry necessary. */
	RetryCause cause() {
		if (this.failure == null) {
			return (this.kind == AttemptOutcome.PENDING) ? RetryCause.PENDING : RetryCause.RESULT;
		}
		return (this.classification != null) ? this.classification.cause() : RetryCause.OTHER;
	}

	/** Return whether the work that failed may have been applied nevertheless. */
	boolean mayBeApplied() {
		return this.failure != null && (this.classification == null || !this.classification.isWithoutEffect());
	}

	/** Return whether the attempt timed out, so that the server may still be at work. */
	boolean isTimeout() {
		return Causes.isTimeout(this.failure, this.classification);
	}

	/** Return the wait that the server asked for, or null. */
	@Nullable Duration hint() {
		return (this.classification != null) ? this.classification.hint() : null;
	}

	/** Return whether the server asked not to be called again. */
	boolean isPushedBack() {
		return this.classification != null && this.classification.isPushedBack();
	}

	/** Return what the end of the attempt says about the dependency. */
	Verdict verdict() {
		if (this.failure != null && CircuitOpenException.isRefusal(Causes.thrown(this.failure).getClass())) {
			return Verdict.IGNORED;
		}
		// what had to judge has failed, so that nothing better is known
		return (this.refusal != null && this.refusal.problem() != null) ? Verdict.FAILED : this.kind.verdict();
	}

}
