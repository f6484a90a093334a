package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.CallObserver;

/**
 * One observed call with its running attempt. Used by one thread at a time; scopes that
 * it opens belong to their threads.
 */
final class CallObservation {

	final CallObserver.ObservedCall call;

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

	/** Return the attempt that has ended, the first time it is asked for. */
	CallObserver.@Nullable ObservedAttempt takeAttempt() {
		CallObserver.ObservedAttempt ended = this.attempt;
		this.attempt = null;
		return ended;
	}

	/** Run work while the given call or attempt, if any, is open. */
	static <R extends @Nullable Object, X extends Throwable> R within(CallObserver.@Nullable Observed observed,
			Operation<R, X> work) throws X {
		if (observed == null) {
			return work.run();
		}
		CallObserver.Scope scope = observed.open();
		try {
			return work.run();
		}
		finally {
			scope.close();
		}
	}

}
