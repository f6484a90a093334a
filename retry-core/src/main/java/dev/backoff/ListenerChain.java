package dev.backoff;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;

/**
 * Tell the recorder and the listeners of one method. What they throw is told to the
 * listeners and goes no further: a failing listener never fails a call.
 */
final class ListenerChain {

	/* The listeners that the thread is telling something, of all chains. */
	private static final ThreadLocal<List<RetryListener>> TELLING = ThreadLocal.withInitial(() -> new ArrayList<>(2));

	private final String policy;

	private final String method;

	private final CallRecorder recorder;

	private final List<RetryListener> listeners;

	ListenerChain(String policy, String method, CallRecorder recorder, List<RetryListener> listeners) {
		this.policy = policy;
		this.method = method;
		this.recorder = recorder;
		this.listeners = List.copyOf(listeners);
	}

	void attempt(int number, AttemptOutcome outcome, long nanos) {
		try {
			this.recorder.attempt(number, outcome, nanos);
		}
		catch (Throwable ex) {
			hookFailed("recorder", ex);
		}
	}

	void call(StopReason reason, long nanos) {
		try {
			this.recorder.call(reason, nanos);
		}
		catch (Throwable ex) {
			hookFailed("recorder", ex);
		}
	}

	void succeededAtOnce(long nanos) {
		try {
			this.recorder.succeededAtOnce(nanos);
		}
		catch (Throwable ex) {
			hookFailed("recorder", ex);
		}
	}

	/** Tell of a wait before a first attempt, which is no retry. */
	void waiting(DelaySource source, long nanos) {
		record((recorder) -> recorder.waiting(source, nanos));
	}

	void waiting(RetryEvent.Scheduled event, long nanos) {
		waiting(event.source(), nanos);
		tell(RetryListener::onRetry, event);
	}

	void waited() {
		record((recorder) -> recorder.waited());
	}

	void retry(RetryCause cause) {
		record((recorder) -> recorder.retry(cause));
	}

	void succeeded(RetryEvent.Succeeded event) {
		tell(RetryListener::onSuccess, event);
	}

	void stopped(RetryEvent.Stopped event) {
		if (event.recovery() != RetryEvent.RecoveryOutcome.NONE) {
			record((recorder) -> recorder.recovered(event.recovery() == RetryEvent.RecoveryOutcome.DONE));
		}
		tell(RetryListener::onStop, event);
	}

	/** Tell that a hook threw; a listener that throws here too is left alone. */
	void hookFailed(String hook, Throwable failure) {
		if (failure instanceof InterruptedException) {
			Thread.currentThread().interrupt();
		}
		RetryEvent.HookFailed event = new RetryEvent.HookFailed(this.policy, this.method, hook, failure);
		for (RetryListener listener : this.listeners) {
			tell(listener, RetryListener::onHookFailure, event);
		}
	}

	private void record(Consumer<CallRecorder> moment) {
		try {
			moment.accept(this.recorder);
		}
		catch (Throwable ex) {
			hookFailed("recorder", ex);
		}
	}

	private <E extends RetryEvent> void tell(BiConsumer<RetryListener, E> moment, E event) {
		for (RetryListener listener : this.listeners) {
			Throwable thrown = tell(listener, moment, event);
			if (thrown != null) {
				hookFailed("listener " + listener.getClass().getName(), thrown);
			}
		}
	}

	/*
	 * A listener may call what it listens to, a retried client of an alert service for
	 * instance. It is not told of such calls, which would never end.
	 */
	private static <E extends RetryEvent> @Nullable Throwable tell(RetryListener listener,
			BiConsumer<RetryListener, E> moment, E event) {
		List<RetryListener> telling = TELLING.get();
		if (isAmong(telling, listener)) {
			return null;
		}
		telling.add(listener);
		try {
			moment.accept(listener, event);
			return null;
		}
		catch (Throwable ex) {
			return ex;
		}
		finally {
			telling.remove(telling.size() - 1);
		}
	}

	private static boolean isAmong(List<RetryListener> telling, RetryListener listener) {
		for (RetryListener other : telling) {
			if (other == listener) {
				return true;
			}
		}
		return false;
	}

}
