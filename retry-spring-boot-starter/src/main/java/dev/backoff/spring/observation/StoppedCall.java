package dev.backoff.spring.observation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;

/**
 * A call that stopped without success: times, names and numbers, and nothing that was an
 * argument or a result. Immutable and thread-safe.
 *
 * @param time when it stopped
 * @param policy the policy's name
 * @param method the method, or the label of a programmatic call
 * @param reason why
 * @param attempts how many attempts were made
 * @param waits the waits between them; of more than six the first and last three
 * @param attemptTimes how long the attempts took; of more than six the first and last
 * three
 * @param elapsed how long the whole call took
 * @param failure the class of the last failure, or null if a result was not good enough
 * @param rootFailure the class of its root cause, or null if it has none of its own
 * @param message what the failure said, in one line of 200 characters at most, or null
 * unless that may be shown
 * @param recovery what the recovery came to
 * @since 0.1
 */
public record StoppedCall(Instant time, String policy, String method, StopReason reason, int attempts,
		List<Duration> waits, List<Duration> attemptTimes, Duration elapsed, @Nullable String failure,
		@Nullable String rootFailure, @Nullable String message, RecoveryOutcome recovery) {

	/**
	 * Copy the lists.
	 * @param time when it stopped
	 * @param policy the policy's name
	 * @param method the method, or the label of a programmatic call
	 * @param reason why
	 * @param attempts how many attempts were made
	 * @param waits the waits between them
	 * @param attemptTimes how long the attempts took
	 * @param elapsed how long the whole call took
	 * @param failure the class of the last failure, or null
	 * @param rootFailure the class of its root cause, or null
	 * @param message what the failure said, or null
	 * @param recovery what the recovery came to
	 */
	public StoppedCall {
		waits = List.copyOf(waits);
		attemptTimes = List.copyOf(attemptTimes);
	}

	/** Return the same without what the failure said. */
	StoppedCall withoutMessage() {
		return (this.message == null) ? this
				: new StoppedCall(this.time, this.policy, this.method, this.reason, this.attempts, this.waits,
						this.attemptTimes, this.elapsed, this.failure, this.rootFailure, null, this.recovery);
	}

}
