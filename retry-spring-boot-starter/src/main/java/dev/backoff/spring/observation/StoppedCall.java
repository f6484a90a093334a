package dev.backoff.spring.observation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;

/**
 * A call that stopped without success, without its arguments and its result. Of more than
 * six waits and attempts it has the first and last three. Its host, with the port, is of
 * the last request, or null if unknown. Its failure is the name of a class, or null if a
 * result was not good enough; the root's is null without a cause. The message is one line
 * of 200 characters at most, or null unless messages may be shown. Immutable and
 * thread-safe.
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
