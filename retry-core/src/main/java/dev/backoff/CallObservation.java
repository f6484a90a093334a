package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;

/**
 * One call that is observed. What its observer throws is told to the listeners and goes
 * no further. Used by one thread at a time, but for what is opened.
 */
final class CallObservation {

	private static final String HOOK = "observer";

	private static final CallObserver.Scope NOTHING = () -> {
	};

	private final CallObserver.ObservedCall call;

	private final ListenerChain listeners;

	/* The one that runs. */
	private CallObserver.@Nullable ObservedAttempt attempt;

	CallObservation(CallObserver.ObservedCall call, ListenerChain listeners) {
		this.call = call;
		this.listeners = listeners;
	}

	/** Begin an attempt; return what to open where it is started. */
	CallObserver.@Nullable Observed attemptBegins(int number) {
		try {
			this.attempt = this.call.attemptBegins(number);
		}
		catch (Throwable ex) {
			this.listeners.hookFailed(HOOK, ex);
		}
		return this.attempt;
	}

	/** Open the attempt that runs, to record its end. */
	CallObserver.Scope openAttempt() {
		return open(this.attempt);
	}

	/** Open the call. */
	CallObserver.Scope openCall() {
		return open(this.call);
	}

	void attemptEnds(AttemptOutcome outcome, @Nullable Throwable failure) {
		CallObserver.ObservedAttempt ended = this.attempt;
		if (ended == null) {
			return;
		}
		this.attempt = null;
		try {
			ended.ends(outcome, failure);
		}
		catch (Throwable ex) {
			this.listeners.hookFailed(HOOK, ex);
		}
	}

	void waitBegins(DelaySource source, long nanos) {
		try {
			this.call.waitBegins(source, nanos);
		}
		catch (Throwable ex) {
			this.listeners.hookFailed(HOOK, ex);
		}
	}

	void ends(StopReason reason, int attempts, RetryEvent.RecoveryOutcome recovery, @Nullable Throwable thrown) {
		try {
			this.call.ends(reason, attempts, recovery, thrown);
		}
		catch (Throwable ex) {
			this.listeners.hookFailed(HOOK, ex);
		}
	}

	/** Run work while the call is open. */
	<R extends @Nullable Object, X extends Throwable> R within(Operation<R, X> work) throws X {
		return within(this.call, work);
	}

	/** Run work while the given is open, if it is there. */
	<R extends @Nullable Object, X extends Throwable> R within(CallObserver.@Nullable Observed observed,
			Operation<R, X> work) throws X {
		CallObserver.Scope scope = open(observed);
		try {
			return work.run();
		}
		finally {
			scope.close();
		}
	}

	private CallObserver.Scope open(CallObserver.@Nullable Observed observed) {
		if (observed == null) {
			return NOTHING;
		}
		try {
			CallObserver.Scope scope = observed.open();
			return () -> close(scope);
		}
		catch (Throwable ex) {
			this.listeners.hookFailed(HOOK, ex);
			return NOTHING;
		}
	}

	private void close(CallObserver.Scope scope) {
		try {
			scope.close();
		}
		catch (Throwable ex) {
			this.listeners.hookFailed(HOOK, ex);
		}
	}

}
