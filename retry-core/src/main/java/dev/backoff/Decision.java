package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.DelaySource;
import dev.backoff.event.StopReason;

/**
 * What follows an attempt: another one after a delay, or the end.
 */
sealed interface Decision extends Turn {

	/**
	 * Wait, then make another attempt.
	 *
	 * @param delay how long to wait, in nanoseconds
	 * @param ownDelay the part the policy's rule chose, in nanoseconds: what the next
	 * delay builds on
	 * @param source who chose the delay
	 */
	record RetryAfter(long delay, long ownDelay, DelaySource source) implements Decision {
	}

	/**
	 * Stop.
	 *
	 * @param reason why
	 * @param why the reason in words with its numbers, or null where the word says all
	 * @param problem what a classifier threw, or the interruption, or null
	 */
	record Stop(StopReason reason, @Nullable String why, @Nullable Throwable problem) implements Decision {

		Stop(StopReason reason, @Nullable String why) {
			this(reason, why, null);
		}

		Stop(StopReason reason) {
			this(reason, null, null);
		}

	}

}
