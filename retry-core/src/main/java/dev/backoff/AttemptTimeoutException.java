package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.DurationText;

/**
 * The failure of an attempt that took longer than its policy's attempt timeout, or than
 * the time left before the deadline. The failure is transient. Its cause is what the
 * interrupted work threw, if it threw anything.
 *
 * @since 0.1
 */
public final class AttemptTimeoutException extends RuntimeException {

	private static final long serialVersionUID = 1;

	/** Whether a thread began it. */
	private boolean begun = true;

	AttemptTimeoutException(String method, int attempt, long nanos, @Nullable Throwable cause) {
		super("Attempt " + attempt + " of " + method + " was not finished after " + DurationText.rounded(nanos), cause);
	}

	/** Note that no thread began the attempt, so that it had no effect. */
	AttemptTimeoutException unbegun() {
		this.begun = false;
		return this;
	}

	boolean isBegun() {
		return this.begun;
	}

}
