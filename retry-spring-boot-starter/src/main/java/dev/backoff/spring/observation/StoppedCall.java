package dev.backoff.spring.observation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;

/**
 * A call that stopped without success, without its arguments and its result. Immutable
 * and thread-safe.
 *
 * @param time the time of the stop
 * @param policy the policy's name
 * @param method the method, or the label of a programmatic call
 * @param reason the stop reason
 * @param attempts the number of attempts
 * @param waits the waits between them; of more than six the first and last three
 * @param attemptTimes the durations of the attempts; of more than six the first and last
 * three
 * @param elapsed the duration of the whole call
 * @param failure the class of the last failure, or null if a result was not good enough
 * @param rootFailure the class of its root cause, or null if the failure has no cause
 * @param message the message of the failure, in one line of 200 characters at most, or
 * null unless messages may be shown
 * @param recovery the result of the recovery
 * @since 0.1
 */
public record StoppedCall(Instant time, String policy, String method, StopReason reason, int attempts,
		List<Duration> waits, List<Duration> attemptTimes, Duration elapsed, @Nullable String failure,
		@Nullable String rootFailure, @Nullable String message, RecoveryOutcome recovery) {

	/** Copy the lists. */
	public StoppedCall {
		waits = List.copyOf(waits);
		attemptTimes = List.copyOf(attemptTimes);
	}

	/** Return the same call without the message of its failure. */
	StoppedCall withoutMessage() {
		return (this.message == null) ? this
				: new StoppedCall(this.time, this.policy, this.method, this.reason, this.attempts, this.waits,
						this.attemptTimes, this.elapsed, this.failure, this.rootFailure, null, this.recovery);
	}

}
