package dev.backoff.test;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;

/**
 * One attempt of a {@link RecordedCall}. Immutable.
 *
 * @param outcome how it ended, or null while it runs
 * @param failure what it failed with, or null
 * @param started the time from the beginning of the call
 * @param took how long it took, zero while it runs
 * @param key the idempotency key of the call, or null if nothing had asked for it when
 * the work of this attempt had been done or started
 * @since 0.1
 */
public record RecordedAttempt(@Nullable AttemptOutcome outcome, @Nullable Throwable failure, Duration started,
		Duration took, @Nullable String key) {
}
