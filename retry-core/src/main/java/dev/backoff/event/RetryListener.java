package dev.backoff.event;

/**
 * Be told of retries: one method per moment, one record per method.
 * <p>
 * A call that succeeds at once tells nothing. Listeners run on the thread of the call, in
 * order, and should be quick. One that throws never fails a call: the others are told.
 * One that makes retried calls itself, on this thread, is not told of those: the others
 * are. Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface RetryListener {

	/**
	 * Be told that another attempt follows after a delay.
	 * @param event what failed and how long the wait is
	 */
	default void onRetry(RetryEvent.Scheduled event) {
	}

	/**
	 * Be told that a call succeeded after at least one retry.
	 * @param event how many attempts it took
	 */
	default void onSuccess(RetryEvent.Succeeded event) {
	}

	/**
	 * Be told that a call stopped without success, after its recovery if it has one.
	 * @param event the story, and what the caller gets
	 */
	default void onStop(RetryEvent.Stopped event) {
	}

	/**
	 * Be told that something handed to the library threw and was worked around: a
	 * listener, a recorder, a condition, a classifier or a random source.
	 * @param event what threw
	 */
	default void onHookFailure(RetryEvent.HookFailed event) {
	}

}
