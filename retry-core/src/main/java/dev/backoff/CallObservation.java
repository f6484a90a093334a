package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;

/**
 * One observed call with its running attempt. Used by one thread at a time; scopes that
 * it opens belong to their threads.
 */
final class CallObservation {

	private static final CallObserver.Scope NOTHING = () -> {
	};

	private final CallObserver.ObservedCall call;

	private CallObserver.@Nullable ObservedAttempt attempt;

	CallObservation(CallObserver.ObservedCall call) {
		this.call = call;
	}

	/** Begin an attempt; return it, to be opened where its work is started. */
	CallObserver.Observed attemptBegins(int number) {
		CallObserver.ObservedAttempt begun = this.call.attemptBegins(number);
		this.attempt = begun;
		return begun;
	}

	/** Open the running attempt, to record its end. */
	CallObserver.Scope openAttempt() {
		return (this.attempt != null) ? this.attempt.open() : NOTHING;
	}

	/** Open the call. */
	CallObserver.Scope openCall() {
		return this.call.open();
	}

	void attemptEnds(AttemptOutcome outcome, @Nullable Throwable failure) {
		CallObserver.ObservedAttempt ended = this.attempt;
		if (ended != null) {
			this.attempt = null;
			ended.ends(outcome, failure);
		}
	}

	void waitBegins(DelaySource source, long nanos) {
		this.call.waitBegins(source, nanos);
	}

	void ends(StopReason reason, int attempts, RetryEvent.RecoveryOutcome recovery, @Nullable Throwable thrown) {
		this.call.ends(reason, attempts, recovery, thrown);
	}

	/** Run work while the call is open. */
	<R extends @Nullable Object, X extends Throwable> R within(Operation<R, X> work) throws X {
		return within(this.call, work);
	}

	/** Run work while the given call or attempt is open. */
	static <R extends @Nullable Object, X extends Throwable> R within(CallObserver.Observed observed,
			Operation<R, X> work) throws X {
		CallObserver.Scope scope = observed.open();
		try {
			return work.run();
		}
		finally {
			scope.close();
		}
	}

}
