package dev.backoff;

import java.util.Arrays;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.CallObserver;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.failure.Causes;

/**
 * The end of a call that did not succeed at once.
 *
 * @param outcome how its last attempt ended
 * @param report the stop report, or null if it succeeded
 * @param observed the observed call, if any
 * @param recovery what became of its recovery
 * @param value what the caller gets, unless something is thrown
 * @param thrown what is thrown to the caller, or null
 */
record CallResult(Outcome outcome, @Nullable RetriesStoppedException report,
		CallObserver.@Nullable ObservedCall observed, RetryEvent.RecoveryOutcome recovery, @Nullable Object value,
		@Nullable Throwable thrown) {

	private static final int MOST_SUPPRESSED = 8;

	CallResult(Outcome outcome, @Nullable RetriesStoppedException report,
			CallObserver.@Nullable ObservedCall observed) {
		this(outcome, report, observed, RetryEvent.RecoveryOutcome.NONE, outcome.value(), outcome.failure());
	}

	CallResult recovered(@Nullable Object value) {
		return new CallResult(this.outcome, this.report, this.observed, RetryEvent.RecoveryOutcome.DONE, value, null);
	}

	/** Return the same with a recovery that has thrown, with the failure suppressed. */
	CallResult recoveryFailed(Throwable thrown) {
		Throwable failure = this.outcome.failure();
		suppress(thrown, (failure != null) ? failure : Objects.requireNonNull(this.report));
		boolean given = Causes.find(thrown, (cause) -> cause == failure || cause == this.report) != null;
		return new CallResult(this.outcome, this.report, this.observed,
				given ? RetryEvent.RecoveryOutcome.RETHROWN : RetryEvent.RecoveryOutcome.FAILED, null, thrown);
	}

	/** Return the same for a caller that has given a result or cancelled the call. */
	CallResult given(@Nullable Throwable thrown) {
		return new CallResult(this.outcome, this.report, this.observed, this.recovery, this.value, thrown);
	}

	/*
	 * A recovery may throw one shared instance again and again, which must not collect
	 * the failures of all calls: if it carries a failure with a stop report, it gets no
	 * other.
	 */
	private static void suppress(Throwable thrown, Throwable failure) {
		Throwable[] carried = thrown.getSuppressed();
		boolean known = Arrays.stream(carried)
			.anyMatch((earlier) -> earlier == failure || RetriesStoppedException.on(earlier) != null);
		if (thrown != failure && !known && carried.length < MOST_SUPPRESSED && !Outcome.isFatal(thrown)) {
			thrown.addSuppressed(failure);
		}
	}

}
