package dev.backoff.durable;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The stored state of a call. Immutable.
 *
 * @param policy the name of the policy
 * @param id the id, which is the idempotency key
 * @param key the key, or null if it has none
 * @param state the phase of the call
 * @param attempts how many attempts have ended
 * @param losses how many attempts were lost because their process ended
 * @param due when the next attempt is due
 * @param submitted when the call was stored
 * @param stop why the call stopped, or null
 * @since 0.1
 */
public record DurableState(String policy, String id, @Nullable String key, Phase state, int attempts, int losses,
		Instant due, Instant submitted, @Nullable String stop) {

	/** The phase of a stored call. */
	public enum Phase {

		/** The call waits for its next attempt. */
		SCHEDULED,

		/** An attempt runs, in this process or another. */
		RUNNING,

		/** The call has stopped without success. */
		DEAD

	}

}
