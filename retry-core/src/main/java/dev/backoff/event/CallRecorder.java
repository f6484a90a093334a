package dev.backoff.event;

import dev.backoff.failure.RetryCause;

/**
 * Record what calls of one method do, in primitives: a call that succeeds at once tells
 * its recorder once and allocates nothing for it. For meters; whoever wants events takes
 * a {@link RetryListener}.
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
	 * @param nanos how long it took, waits included, recovery not, in nanoseconds
	 */
	void call(StopReason reason, long nanos);

	/**
	 * Record a call that was one attempt, which succeeded: nearly every call, so a
	 * recorder may do less here than for the two one by one. Unless overridden, it
	 * records the attempt and the call, each whatever becomes of the other.
	 * @param nanos how long both took, in nanoseconds
	 */
	default void succeededAtOnce(long nanos) {
		try {
			attempt(1, AttemptOutcome.SUCCESS, nanos);
		}
		finally {
			call(StopReason.SUCCEEDED, nanos);
		}
	}

	/**
	 * Record that a call begins to wait.
	 * @param source who chose the delay
	 * @param nanos the delay, in nanoseconds
	 */
	void waiting(DelaySource source, long nanos);

	/**
	 * Record that a call no longer waits, for whatever reason.
	 */
	void waited();

	/**
	 * Record the start of an attempt after the first.
	 * @param cause what made it necessary
	 */
	void retry(RetryCause cause);

	/**
	 * Record that a recovery ran.
	 * @param done true if it returned, false if it threw
	 */
	void recovered(boolean done);

	/**
	 * Make the recorders, one for each method and policy.
	 */
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
