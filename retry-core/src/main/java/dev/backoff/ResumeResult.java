package dev.backoff;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetriesStoppedException;

/**
 * What follows an attempt of a {@link ResumedCall}. Immutable.
 *
 * @since 0.1
 */
public sealed interface ResumeResult {

	/**
	 * The call has ended well.
	 *
	 * @param recovered whether it stopped and its recovery returned
	 */
	record Done(boolean recovered) implements ResumeResult {
	}

	/**
	 * Another attempt follows.
	 *
	 * @param attempts how many attempts have ended; unchanged if no attempt was made or
	 * the attempt was interrupted
	 * @param delay how long the call waits from now on
	 * @param previousDelay the part of this wait that the policy's rule chose
	 * @param finalPoll whether the final poll before the deadline is the next attempt or
	 * has been made
	 * @param timeouts how many attempts timed out last, one after the other
	 * @param failure what the attempt threw, or null
	 */
	record Again(int attempts, Duration delay, Duration previousDelay, boolean finalPoll, int timeouts,
			@Nullable Throwable failure) implements ResumeResult {
	}

	/**
	 * The call stopped without success and was not recovered.
	 *
	 * @param report the stop report
	 * @param thrown what the last attempt or the recovery threw, or null
	 */
	record Stopped(RetriesStoppedException report, @Nullable Throwable thrown) implements ResumeResult {
	}

}
