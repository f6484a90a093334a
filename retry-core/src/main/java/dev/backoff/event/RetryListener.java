package dev.backoff.event;

/**
 * Listen to retries: one method per moment, one record per method.
 * <p>
 * A call that succeeds at once has no event. Listeners run on the thread of the call, in
 * order, and should be quick. A listener that throws never fails a call, and the others
 * still run. The exception is a {@link VirtualMachineError}, which ends the call and is
 * thrown to the caller, unless {@link #onHookFailure} throws it. A listener that makes
 * retried calls itself, on this thread, gets no event of those; the others do.
 * Implementations are thread-safe.
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
	 * An object handed to the library threw and was worked around: a listener, a
	 * recorder, a condition, a classifier or a random source.
	 * @param event what threw
	 */
	default void onHookFailure(RetryEvent.HookFailed event) {
	}

}
