package dev.backoff.event;

import dev.backoff.failure.RetryCause;

/**
 * Record the calls of one method in primitives, for meters. A call that succeeds at once
 * is recorded by one method, which allocates nothing. A {@link RetryListener} receives
 * events instead. Waits and recoveries need not be recorded.
 * <p>
 * A recorder that throws never fails a call. Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface CallRecorder {

	/**
	 * Record the end of an attempt.
	 * @param number the attempt, counted from 1
	 * @param outcome how it ended
	 * @param nanos how long it took, in nanoseconds
	 */
	void attempt(int number, AttemptOutcome outcome, long nanos);

	/**
	 * Record the end of a call.
	 * @param reason why it ended
	 * @param nanos how long it took with its waits, without its recovery, in nanoseconds
	 */
	void call(StopReason reason, long nanos);

	/**
	 * Record a call whose first attempt succeeded, as most calls do. By default, this
	 * method records the attempt and then the call, even if recording the attempt throws.
	 * @param nanos how long the attempt took, and thus the call, in nanoseconds
	 */
	default void succeededOnFirstAttempt(long nanos) {
		try {
			attempt(1, AttemptOutcome.SUCCESS, nanos);
		}
		finally {
			call(StopReason.SUCCEEDED, nanos);
		}
	}

	/**
	 * Record that a call begins to wait.
	 * @param source where the delay comes from
	 * @param nanos the delay, in nanoseconds; 0 in a queue
	 */
	default void waiting(DelaySource source, long nanos) {
	}

	/** Record that a call no longer waits, for any reason. */
	default void waited() {
	}

	/**
	 * Record that a call no longer waits in a queue, for any reason. This method is
	 * called after {@link #waited()}. By default it does nothing.
	 * @param source {@link DelaySource#CONCURRENCY} or {@link DelaySource#PACE}
	 * @param nanos how long it waited there, in nanoseconds
	 */
	default void queued(DelaySource source, long nanos) {
	}

	/**
	 * Record the start of an attempt after the first.
	 * @param cause what made it necessary
	 */
	void retry(RetryCause cause);

	/**
	 * Record the end of a call that was retried and did not poll, after {@link #call}.
	 * @param first what made the first retry necessary; {@code OTHER} for a stored call
	 * @param attempts how many attempts were made, 2 or more
	 * @param rescued whether the last attempt succeeded
	 */
	default void retried(RetryCause first, int attempts, boolean rescued) {
	}

	/**
	 * Record that a recovery ran.
	 * @param outcome what it did, never {@link RetryEvent.RecoveryOutcome#NONE}
	 */
	default void recovered(RetryEvent.RecoveryOutcome outcome) {
	}

	/** Make the recorders, one for each method and policy. */
	@FunctionalInterface
	interface Factory {

		/**
		 * Make a recorder.
		 * @param policy the policy's name
		 * @param method the method, or the label of a programmatic call
		 * @return a recorder, used for all calls of the method
		 */
		CallRecorder recorder(String policy, String method);

	}

}
