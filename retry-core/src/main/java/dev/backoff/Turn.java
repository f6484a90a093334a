package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.failure.RetryCause;

/** What a driver does next: make an attempt, wait, or end the call. */
sealed interface Turn permits Turn.Permitted, Decision {

	/**
	 * Make an attempt now, and give the breaker's permit back at its end.
	 *
	 * @param retried what makes the attempt necessary, or null for the first
	 */
	record Permitted(Permit permit, @Nullable RetryCause retried) implements Turn {
	}

}
