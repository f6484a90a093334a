package dev.backoff.durable;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What is stored of a call. Immutable.
 *
 * @param policy the name of the policy
 * @param id the id, which is the idempotency key
 * @param key the key, or null if it has none
 * @param state where the call is
 * @param attempts how many attempts have ended
 * @param losses how many attempts have ended with their process
 * @param due when the next attempt is due
 * @param submitted when the call was stored
 * @param stop why the call stopped, or null
 * @since 0.1
 */
public record DurableState(String policy, String id, @Nullable String key, Phase state, int attempts, int losses,
		Instant due, Instant submitted, @Nullable String stop) {

	/** Where a call is. */
	public enum Phase {

		/** It waits for its next attempt. */
		SCHEDULED,

		/** An attempt runs, in this process or another. */
		RUNNING,

		/** It has stopped without success. */
		DEAD

	}

}
