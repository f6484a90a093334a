package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;

/**
 * Tell the recorder, the listeners and the observer what happens to calls. The observed
 * call or attempt is open meanwhile, so that logs and the exemplars of meters belong to
 * it. Thread-safe.
 */
final class CallTeller {

	private static final CallObserver.Scope NOTHING = () -> {
	};

	private final ListenerChain listeners;

	private final @Nullable CallObserver observer;

	CallTeller(ListenerChain listeners, @Nullable CallObserver observer) {
		this.listeners = listeners;
		this.observer = observer;
	}

	/** Return whether calls are observed. */
	boolean isObserving() {
		return this.observer != null;
	}

	void callBegins(RetryCall call, CallTerms terms) {
		if (this.observer == null) {
			return;
		}
		CallObserver.ObservedCall observed = this.observer.callBegins(terms.policy().name(), terms.method());
		if (observed != null) {
			call.observedBy(new CallObservation(observed));
		}
	}

	void succeededAtOnce(RetryCall call, long nanos) {
		if (this.observer == null) {
			this.listeners.succeededAtOnce(nanos);
			return;
		}
		attempt(call, AttemptOutcome.SUCCESS, null, nanos);
		callStops(call, StopReason.SUCCEEDED, nanos);
		callEnds(call, StopReason.SUCCEEDED);
	}

	void attempt(RetryCall call, AttemptOutcome outcome, @Nullable Throwable failure, long nanos) {
		CallObservation observation = call.observation();
		if (observation == null) {
			this.listeners.attempt(call.attempt(), outcome, nanos);
			return;
		}
		within(observation.openAttempt(), () -> this.listeners.attempt(call.attempt(), outcome, nanos));
		observation.attemptEnds(outcome, failure);
	}

	/** Tell of a wait; before a first attempt there is no event. */
	void waiting(RetryCall call, Decision.RetryAfter wait, RetryEvent.@Nullable Scheduled event) {
		CallObservation observation = call.observation();
		if (observation != null) {
			observation.waitBegins(wait.source(), wait.delay());
		}
		within(open(observation), () -> {
			this.listeners.waiting(wait.source(), wait.delay());
			if (event != null) {
				this.listeners.scheduled(event);
			}
		});
	}

	/** Tell that the last attempt has been made. */
	void callStops(RetryCall call, StopReason reason, long nanos) {
		within(open(call.observation()), () -> this.listeners.call(reason, nanos));
	}

	void succeeded(RetryCall call, RetryEvent.Succeeded event) {
		within(open(call.observation()), () -> this.listeners.succeeded(event));
		callEnds(call, StopReason.SUCCEEDED);
	}

	private static void callEnds(RetryCall call, StopReason reason) {
		CallObservation observation = call.observation();
		if (observation != null) {
			observation.ends(reason, call.attempt(), RetryEvent.RecoveryOutcome.NONE, null);
		}
	}

	void stopped(Ending ending, RetryEvent.Stopped event) {
		CallObservation observation = ending.observation();
		within(open(observation), () -> this.listeners.stopped(event));
		if (observation != null) {
			observation.ends(event.story().reason(), event.story().attempts(), event.recovery(), event.thrown());
		}
	}

	private static CallObserver.Scope open(@Nullable CallObservation observation) {
		return (observation != null) ? observation.openCall() : NOTHING;
	}

	private static void within(CallObserver.Scope scope, Runnable telling) {
		try {
			telling.run();
		}
		finally {
			scope.close();
		}
	}

}
