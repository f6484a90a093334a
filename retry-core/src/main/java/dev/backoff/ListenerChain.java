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
 * Tell the recorder and the listeners of one method. An exception of one of them is
 * reported to the listeners and never fails a call. Only a {@link VirtualMachineError}
 * that a listener throws at an event of its call ends that call.
 */
final class ListenerChain {

	/* The listeners, of all chains, that are being told on this thread; few at a time. */
	private static final ThreadLocal<List<RetryListener>> TELLING = ThreadLocal.withInitial(() -> new ArrayList<>(2));

	private final String policy;

	private final String method;

	private final @Nullable CallRecorder recorder;

	private final List<RetryListener> listeners;

	ListenerChain(String policy, String method, @Nullable CallRecorder recorder, List<RetryListener> listeners) {
		this.policy = policy;
		this.method = method;
		this.recorder = recorder;
		this.listeners = List.copyOf(listeners);
	}

	void attempt(int number, AttemptOutcome outcome, long nanos) {
		record((recorder) -> recorder.attempt(number, outcome, nanos));
	}

	void call(StopReason reason, long nanos) {
		record((recorder) -> recorder.call(reason, nanos));
	}

	/* Without a lambda, since a success allocates nothing. */
	void succeededAtOnce(long nanos) {
		if (this.recorder == null) {
			return;
		}
		try {
			this.recorder.succeededAtOnce(nanos);
		}
		catch (Throwable ex) {
			hookFailed("recorder", ex);
		}
	}

	void waiting(DelaySource source, long nanos) {
		record((recorder) -> recorder.waiting(source, nanos));
	}

	void scheduled(RetryEvent.Scheduled event) {
		tell(RetryListener::onRetry, event);
	}

	void waited() {
		record(CallRecorder::waited);
	}

	void queued(long nanos) {
		record((recorder) -> recorder.queued(nanos));
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

	/** Report that a hook threw. What a listener throws at this is ignored. */
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
		if (this.recorder == null) {
			return;
		}
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
			if (thrown instanceof VirtualMachineError fatal) {
				throw fatal;
			}
			if (thrown != null) {
				hookFailed("listener " + listener.getClass().getName(), thrown);
			}
		}
	}

	/*
	 * A listener may make retried calls itself, to an alert service for instance. It is
	 * not told of those, or it might call without end.
	 */
	private static <E extends RetryEvent> @Nullable Throwable tell(RetryListener listener,
			BiConsumer<RetryListener, E> moment, E event) {
		List<RetryListener> telling = TELLING.get();
		for (RetryListener told : telling) {
			if (told == listener) {
				return null;
			}
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

}
