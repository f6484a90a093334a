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
@SuppressWarnings("try") // a scope is open and not used
final class CallTeller {

	private static final CallObserver.Scope UNOBSERVED = () -> {
	};

	private final ListenerChain listeners;

	private final @Nullable CallObserver observer;

	CallTeller(ListenerChain listeners, @Nullable CallObserver observer) {
		this.listeners = listeners;
		this.observer = observer;
	}

	void callBegins(CallState call, CallSettings settings) {
		if (this.observer == null) {
			return;
		}
		observed(call, this.observer.callBegins(settings.policy().name(), settings.method()));
	}

	/** Tell of a call that is kept elsewhere, and observe the attempt that is due. */
	void callGoesOn(CallState call, CallSettings settings, KeptCall kept) {
		observed(call, callKept(settings, kept.key(), kept.attempts() + 1));
	}

	/** Tell of a call that is kept elsewhere. */
	CallObserver.@Nullable ObservedCall callKept(CallSettings settings, String key, int attempt) {
		return (this.observer != null)
				? this.observer.callKept(settings.policy().name(), settings.method(), key, attempt) : null;
	}

	private static void observed(CallState call, CallObserver.@Nullable ObservedCall observed) {
		if (observed != null) {
			call.context().observe(observed);
		}
	}

	void succeededAtOnce(CallState call, long nanos) {
		if (this.observer == null) {
			this.listeners.succeededAtOnce(nanos);
			return;
		}
		attempt(call, AttemptOutcome.SUCCESS, null, nanos);
		callStops(call, StopReason.SUCCEEDED, nanos);
		callEnds(call);
	}

	void attempt(CallState call, AttemptOutcome outcome, @Nullable Throwable failure, long nanos) {
		CallObservation observation = call.observation();
		CallObserver.ObservedAttempt attempt = (observation != null) ? observation.takeAttempt() : null;
		try (CallObserver.Scope scope = open(attempt)) {
			this.listeners.attempt(call.attempt(), outcome, nanos);
		}
		if (attempt != null) {
			attempt.ends(outcome, failure);
		}
	}

	/** Tell of a wait; before a first attempt there is no event. */
	void waiting(CallState call, Decision.RetryAfter wait, RetryEvent.@Nullable Scheduled event) {
		CallObserver.ObservedCall observed = call.observed();
		if (observed != null) {
			observed.waitBegins(wait.source(), wait.told());
		}
		try (CallObserver.Scope scope = open(observed)) {
			if (event != null) {
				this.listeners.scheduled(event);
			}
			// last, since a call that a listener ends does not wait
			this.listeners.waiting(wait.source(), wait.told());
		}
		catch (VirtualMachineError ex) {
			if (observed != null) {
				observed.ends(StopReason.NOT_RETRYABLE, call.attempt(), RetryEvent.RecoveryOutcome.NONE, ex);
			}
			throw ex;
		}
	}

	void callStops(CallState call, StopReason reason, long nanos) {
		try (CallObserver.Scope scope = open(call.observed())) {
			this.listeners.call(reason, nanos);
		}
	}

	void succeeded(CallState call, RetryEvent.Succeeded event) {
		try (CallObserver.Scope scope = open(call.observed())) {
			this.listeners.succeeded(event);
		}
		finally {
			callEnds(call);
		}
	}

	private static void callEnds(CallState call) {
		CallObserver.ObservedCall observed = call.observed();
		if (observed != null) {
			observed.ends(StopReason.SUCCEEDED, call.attempt(), RetryEvent.RecoveryOutcome.NONE, null);
		}
	}

	void stopped(CallResult result, RetryEvent.Stopped event) {
		CallObserver.ObservedCall observed = result.observed();
		try (CallObserver.Scope scope = open(observed)) {
			this.listeners.stopped(event);
		}
		finally {
			if (observed != null) {
				observed.ends(event.story().reason(), event.story().attempts(), event.recovery(), event.thrown());
			}
		}
	}

	private static CallObserver.Scope open(CallObserver.@Nullable Observed observed) {
		return (observed != null) ? observed.open() : UNOBSERVED;
	}

}
