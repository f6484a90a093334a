package dev.backoff;

import dev.backoff.breaker.CallPermits.Permit;

/**
 * What a driver does next: make an attempt, wait, or end the call.
 */
sealed interface Turn permits Turn.Permitted, Decision {

	/** Make an attempt now, and give the breaker's permit back at its end. */
	record Permitted(Permit permit) implements Turn {
	}

}
