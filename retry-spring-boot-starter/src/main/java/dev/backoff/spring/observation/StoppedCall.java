package dev.backoff.spring.observation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;

/**
 * A call that stopped without success, without its arguments and its result. If there are
 * more than six waits or attempts, it has the first three and the last three. The host,
 * with the port, is that of the last request, or null if unknown. The failure is a class
 * name, or null if a result was not good enough. The root failure is null if the failure
 * has no cause. The message is one line of at most 200 characters, or null if messages
 * are not shown. Immutable and thread-safe.
 *
 * @since 0.1
 */
public record StoppedCall(Instant time, String policy, String method, StopReason reason, int attempts,
		List<Duration> waits, List<Duration> attemptTimes, Duration elapsed, @Nullable String host,
		@Nullable String failure, @Nullable String rootFailure, @Nullable String message, RecoveryOutcome recovery) {

	/** Return the same call without the message of its failure. */
	StoppedCall withoutMessage() {
		return (this.message == null) ? this
				: new StoppedCall(this.time, this.policy, this.method, this.reason, this.attempts, this.waits,
						this.attemptTimes, this.elapsed, this.host, this.failure, this.rootFailure, null,
						this.recovery);
	}

}
