package dev.backoff;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;

/**
 * Publish what happens to the calls of one method: to the recorder, then to the
 * listeners, then to the observers; a wait in the reverse order. The observed call or
 * attempt is open meanwhile, so that logs and the exemplars of meters belong to it.
 * <p>
 * What a recorder, a listener or an observer throws is published to the listeners and
 * never fails a call. Only a {@link VirtualMachineError} that a listener throws at an
 * event of its call ends that call. Thread-safe.
 */
@SuppressWarnings("try") // a scope is open and not used
final class CallEvents {

	private static final CallObserver.Scope UNOBSERVED = () -> {
	};

	/* The listeners, of all methods, that run on this thread; few at a time. */
	private static final ThreadLocal<List<RetryListener>> RUNNING = ThreadLocal.withInitial(() -> new ArrayList<>(2));

	private final String policy;

	private final String method;

	private final @Nullable CallRecorder recorder;

	private final List<RetryListener> listeners;

	private final @Nullable CallObserver observer;

	CallEvents(String policy, String method, @Nullable CallRecorder recorder, List<RetryListener> listeners,
			List<CallObserver> observers) {
		this.policy = policy;
		this.method = method;
		this.recorder = recorder;
		this.listeners = List.copyOf(listeners);
		this.observer = CallObserver.safe(observers, (ex) -> hookFailed("observer", ex));
	}

	boolean isObserved() {
		return this.observer != null;
	}

	void callBegins(CallState call) {
		if (this.observer != null) {
			observe(call, this.observer.callBegins(this.policy, this.method));
		}
	}

	/** Observe the attempt of a stored call that is due. */
	void callGoesOn(CallState call, ResumedCall stored) {
		observe(call, observed(stored.key(), stored.attempts() + 1));
	}

	/** Publish that a call has been stored. */
	void stored(String key) {
		Object unused = observed(key, 0);
	}

	private CallObserver.@Nullable ObservedCall observed(String key, int attempt) {
		return (this.observer != null) ? this.observer.callStored(this.policy, this.method, key, attempt) : null;
	}

	private static void observe(CallState call, CallObserver.@Nullable ObservedCall observed) {
		if (observed != null) {
			call.context().observe(observed);
		}
	}

	/* Without a lambda, since a success allocates nothing. */
	void succeededOnFirstAttempt(CallState call, long nanos) {
		if (this.observer != null) {
			attempt(call, AttemptOutcome.SUCCESS, null, nanos);
			callStops(call, StopReason.SUCCEEDED, nanos);
			callEnds(call);
		}
		else if (this.recorder != null) {
			try {
				this.recorder.succeededOnFirstAttempt(nanos);
			}
			catch (Throwable ex) {
				hookFailed("recorder", ex);
			}
		}
	}

	void attempt(CallState call, AttemptOutcome outcome, @Nullable Throwable failure, long nanos) {
		CallObserver.ObservedAttempt attempt = call.takeObservedAttempt();
		try (CallObserver.Scope scope = open(attempt)) {
			record((recorder) -> recorder.attempt(call.attempt, outcome, nanos));
		}
		if (attempt != null) {
			attempt.ends(outcome, failure);
		}
	}

	/** Publish a wait; before a first attempt there is no event. */
	void waiting(CallState call, Decision.RetryAfter wait, RetryEvent.@Nullable Scheduled event) {
		CallObserver.ObservedCall observed = call.observed();
		if (observed != null) {
			observed.waitBegins(wait.source(), wait.published());
		}
		try (CallObserver.Scope scope = open(observed)) {
			if (event != null) {
				publish(RetryListener::onRetry, event);
			}
			// last, since a call that a listener ends does not wait
			record((recorder) -> recorder.waiting(wait.source(), wait.published()));
		}
		catch (VirtualMachineError ex) {
			callStops(call, StopReason.NOT_RETRYABLE, call.elapsed(call.now()));
			if (observed != null) {
				observed.ends(StopReason.NOT_RETRYABLE, call.attempt, RetryEvent.RecoveryOutcome.NONE, ex);
			}
			throw ex;
		}
	}

	void waited() {
		record(CallRecorder::waited);
	}

	void queued(DelaySource source, long nanos) {
		record((recorder) -> recorder.queued(source, nanos));
	}

	void retry(RetryCause cause) {
		record((recorder) -> recorder.retry(cause));
	}

	void callStops(CallState call, StopReason reason, long nanos) {
		try (CallObserver.Scope scope = open(call.observed())) {
			record((recorder) -> recorder.call(reason, nanos));
			if (call.hasHistory() && call.history().attempts > 1 && call.settings().policy().until() == null) {
				record((recorder) -> recorder.retried(call.history().firstCause(), call.history().attempts,
						reason == StopReason.SUCCEEDED));
			}
		}
	}

	void succeeded(CallState call, RetryEvent.Succeeded event) {
		try (CallObserver.Scope scope = open(call.observed())) {
			publish(RetryListener::onSuccess, event);
		}
		finally {
			callEnds(call);
		}
	}

	private static void callEnds(CallState call) {
		CallObserver.ObservedCall observed = call.observed();
		if (observed != null) {
			observed.ends(StopReason.SUCCEEDED, call.attempt, RetryEvent.RecoveryOutcome.NONE, null);
		}
	}

	void stopped(CallResult result, RetryEvent.Stopped event) {
		CallObserver.ObservedCall observed = result.observed();
		try (CallObserver.Scope scope = open(observed)) {
			if (event.recovery() != RetryEvent.RecoveryOutcome.NONE) {
				record((recorder) -> recorder.recovered(event.recovery()));
			}
			publish(RetryListener::onStop, event);
		}
		finally {
			if (observed != null) {
				observed.ends(event.report().reason(), event.report().attempts(), event.recovery(), event.thrown());
			}
		}
	}

	/** Close a result that the caller does not get. */
	void drop(@Nullable Object result) {
		if (result instanceof AutoCloseable rejected) {
			try {
				rejected.close();
			}
			catch (Throwable ex) {
				hookFailed("rejected result", ex);
			}
		}
	}

	/** Run work while the given call or attempt, if any, is open. */
	static <R extends @Nullable Object, X extends Throwable> R within(CallObserver.@Nullable Observed observed,
			Operation<R, X> work) throws X {
		try (CallObserver.Scope scope = open(observed)) {
			return work.run();
		}
	}

	private static CallObserver.Scope open(CallObserver.@Nullable Observed observed) {
		return (observed != null) ? observed.open() : UNOBSERVED;
	}

	/** Publish that a hook threw. What a listener throws at this is ignored. */
	void hookFailed(String hook, Throwable failure) {
		if (failure instanceof InterruptedException) {
			Thread.currentThread().interrupt();
		}
		RetryEvent.HookFailed event = new RetryEvent.HookFailed(this.policy, this.method, hook, failure);
		for (RetryListener listener : this.listeners) {
			publish(listener, RetryListener::onHookFailure, event);
		}
	}

	private void record(Consumer<CallRecorder> moment) {
		if (this.recorder != null) {
			try {
				moment.accept(this.recorder);
			}
			catch (Throwable ex) {
				hookFailed("recorder", ex);
			}
		}
	}

	private <E extends RetryEvent> void publish(BiConsumer<RetryListener, E> moment, E event) {
		for (RetryListener listener : this.listeners) {
			Throwable thrown = publish(listener, moment, event);
			if (thrown instanceof VirtualMachineError fatal) {
				throw fatal;
			}
			if (thrown != null) {
				hookFailed("listener " + listener.getClass().getName(), thrown);
			}
		}
	}

	/*
	 * A listener may make retried calls itself, to an alert service for instance. Events
	 * of those are not published to it, or it might call without end.
	 */
	private static <E extends RetryEvent> @Nullable Throwable publish(RetryListener listener,
			BiConsumer<RetryListener, E> moment, E event) {
		List<RetryListener> running = RUNNING.get();
		for (RetryListener known : running) {
			if (known == listener) {
				return null;
			}
		}
		running.add(listener);
		try {
			moment.accept(listener, event);
			return null;
		}
		catch (Throwable ex) {
			return ex;
		}
		finally {
			running.remove(running.size() - 1);
		}
	}

}
