package dev.backoff.concurrency;

import java.io.Serial;

/**
 * Thrown when a call gets no permit of its {@link ConcurrencyLimit}, before the work is
 * called. It is never retried, and no breaker counts it as a failure.
 *
 * @since 0.1
 */
public class ConcurrencyExceededException extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	/**
	 * Make an exception.
	 * @param policy the policy's name
	 * @param permits how many attempts may run at once
	 * @param waiting how many calls waited for a permit
	 */
	public ConcurrencyExceededException(String policy, int permits, int waiting) {
		super("Policy " + policy + " has no permit for another attempt: " + permits + " may run at once and " + waiting
				+ ((waiting == 1) ? " call waits" : " calls wait") + "; the call was not made.");
	}

}
