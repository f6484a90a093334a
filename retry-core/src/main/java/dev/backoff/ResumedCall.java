package dev.backoff;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetriesStoppedException;

/**
 * The state of a call that is stored, such as in a database, while it waits. From this
 * state another process can make the next attempt as if the call had never left the
 * memory of one process. Immutable.
 *
 * @param key the idempotency key, the same for all attempts of the call
 * @param fence a number that grows from attempt to attempt, so that a server can refuse
 * an attempt after it has seen a later one; zero or more
 * @param attempts how many attempts have ended, 0 before the first
 * @param elapsed the time since the call began, waits included
 * @param timeLeft the time until its deadline, negative after it, or null without one
 * @param previousDelay the part of the last wait that the policy's rule chose, or zero
 * @param finalPoll whether the final poll before the deadline is due or has been made
 * @param timeouts how many attempts timed out last, one after the other
 * @param loss why the call stops as {@code LOST} without another attempt, or null to make
 * an attempt
 * @param failure what the previous attempt threw, in words for the stop report of a call
 * that stops without another attempt; null before the first attempt and after a result
 * @since 0.1
 */
public record ResumedCall(String key, long fence, int attempts, Duration elapsed, @Nullable Duration timeLeft,
		Duration previousDelay, boolean finalPoll, int timeouts, @Nullable String loss, @Nullable String failure) {

	/** What follows an attempt. Immutable. */
	public sealed interface Result {

	}

	/**
	 * The call has ended well.
	 *
	 * @param recovered whether it stopped and its recovery returned
	 */
	public record Done(boolean recovered) implements Result {
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
	public record Again(int attempts, Duration delay, Duration previousDelay, boolean finalPoll, int timeouts,
			@Nullable Throwable failure) implements Result {
	}

	/**
	 * The call stopped without success and was not recovered.
	 *
	 * @param report the stop report
	 * @param thrown what the last attempt or the recovery threw, or null
	 */
	public record Stopped(RetriesStoppedException report, @Nullable Throwable thrown) implements Result {
	}

}
