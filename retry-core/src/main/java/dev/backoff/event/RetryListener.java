package dev.backoff.event;

/**
 * Listen to retries. Each method receives one kind of event.
 * <p>
 * A call that succeeds at once causes no event. Listeners run on the thread of the call,
 * in order, and should be quick. A listener that throws does not fail the call, and the
 * other listeners still run. Only a {@link VirtualMachineError} ends the call and is
 * thrown to the caller, unless {@link #onHookFailure} throws it. If a listener itself
 * makes retried calls on this thread, it gets no events of those calls; the other
 * listeners do. Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface RetryListener {

	/**
	 * Another attempt follows after a delay.
	 * @param event what failed and how long the wait is
	 */
	default void onRetry(RetryEvent.Scheduled event) {
	}

	/**
	 * A call succeeded after at least one retry.
	 * @param event how many attempts it took
	 */
	default void onSuccess(RetryEvent.Succeeded event) {
	}

	/**
	 * A call stopped without success; its recovery, if any, has run.
	 * @param event the stop report, and what the caller gets
	 */
	default void onStop(RetryEvent.Stopped event) {
	}

	/**
	 * An object of the application threw, and the caller does not get its exception: a
	 * listener, a recorder, a condition, a classifier or a random source.
	 * @param event what threw
	 */
	default void onHookFailure(RetryEvent.HookFailed event) {
	}

}
