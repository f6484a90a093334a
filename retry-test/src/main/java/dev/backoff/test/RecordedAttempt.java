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
 * @param replaced whether a fault took the place of its work
 * @since 0.1
 */
public record RecordedAttempt(@Nullable AttemptOutcome outcome, @Nullable Throwable failure, Duration started,
		Duration took, boolean replaced) {
}
