package dev.backoff;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CircuitBreaker.Verdict;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;
import dev.backoff.concurrency.ConcurrencyExceededException;

/** What one attempt came to: a value or a failure, with what was made of it. */
sealed interface Outcome {

	static Outcome ofValue(AttemptOutcome kind, @Nullable Object value) {
		return new Value(kind, value, null);
	}

	static Outcome ofRetryable(Throwable failure, @Nullable FailureClassification classification) {
		boolean throttled = classification != null && classification.kind() == FailureClassification.Kind.THROTTLED;
		return new Failure(throttled ? AttemptOutcome.THROTTLED : AttemptOutcome.TRANSIENT, failure, classification,
				null);
	}

	static Outcome ofTimeout(AttemptTimeoutException failure) {
		return new Failure(AttemptOutcome.TIMEOUT, failure, FailureClassification.transientFailure(RetryCause.TIMEOUT),
				null);
	}

	static Outcome ofRefused(AttemptOutcome kind, Throwable failure, Decision.Stop refusal) {
		return new Failure(kind, failure, null, refusal);
	}

	/** Return the outcome of a call without an attempt of which anything is known. */
	static Outcome ofNothing(Decision.Stop stop) {
		return new Value(AttemptOutcome.PERMANENT, null, stop);
	}

	/** Return whether the failure is the virtual machine's own: it is left as it is. */
	static boolean isFatal(Throwable failure) {
		return failure instanceof VirtualMachineError || failure instanceof ThreadDeath
				|| failure instanceof LinkageError;
	}

	/** Return the same outcome, not worth another attempt. */
	Outcome refusedAs(Decision.Stop refusal);

	AttemptOutcome kind();

	default @Nullable Object value() {
		return null;
	}

	default @Nullable Throwable failure() {
		return null;
	}

	/** Return why no attempt may follow whatever the limits say, or null. */
	Decision.@Nullable Stop refusal();

	/** Return what makes a retry necessary. */
	RetryCause cause();

	/** Return whether the work that failed may have been applied nevertheless. */
	default boolean mayBeApplied() {
		return false;
	}

	/** Return the wait that the server asked for, or null. */
	default @Nullable Duration hint() {
		return null;
	}

	/** Return whether the server asked not to be called again. */
	default boolean isPushedBack() {
		return false;
	}

	/** Return what the end of the attempt says about the dependency. */
	default Verdict verdict() {
		if (failure() instanceof CircuitOpenException || failure() instanceof ConcurrencyExceededException) {
			return Verdict.IGNORED;
		}
		Decision.Stop refusal = refusal();
		// what had to judge has failed, so that nothing better is known
		return (refusal != null && refusal.problem() != null) ? Verdict.FAILED : kind().verdict();
	}

	/** What an attempt returned. */
	record Value(AttemptOutcome kind, @Nullable Object value, Decision.@Nullable Stop refusal) implements Outcome {

		@Override
		public Outcome refusedAs(Decision.Stop refusal) {
			return new Value(this.kind, this.value, refusal);
		}

		@Override
		public RetryCause cause() {
			return (this.kind == AttemptOutcome.PENDING) ? RetryCause.PENDING : RetryCause.RESULT;
		}

	}

	/** What an attempt threw, with what a classifier made of it. */
	record Failure(AttemptOutcome kind, Throwable failure, @Nullable FailureClassification classification,
			Decision.@Nullable Stop refusal) implements Outcome {

		@Override
		public Outcome refusedAs(Decision.Stop refusal) {
			return new Failure(this.kind, this.failure, null, refusal);
		}

		@Override
		public RetryCause cause() {
			return (this.classification != null) ? this.classification.cause() : RetryCause.OTHER;
		}

		@Override
		public boolean mayBeApplied() {
			return this.classification == null || !this.classification.isWithoutEffect();
		}

		@Override
		public @Nullable Duration hint() {
			return (this.classification != null) ? this.classification.hint() : null;
		}

		@Override
		public boolean isPushedBack() {
			return this.classification != null && this.classification.isPushedBack();
		}

	}

}
