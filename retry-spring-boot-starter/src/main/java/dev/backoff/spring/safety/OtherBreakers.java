package dev.backoff.spring.safety;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;

/**
 * Find the breakers of another library, for {@code backoff.breakers.<name>.provider}.
 * Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface OtherBreakers {

	/**
	 * Return the permits of a breaker.
	 * @param name the breaker's name
	 * @param awaited whether refused calls wait instead of failing
	 * @return its permits
	 * @throws IllegalArgumentException if there is no breaker of that name; its message
	 * is the rule that this breaks, without a full stop
	 */
	CallPermits permits(String name, boolean awaited);

	/**
	 * Return the state of a breaker, for those who look.
	 * @param name the breaker's name
	 * @return the state as the other library calls it, in lower case; null if unknown
	 */
	default @Nullable String state(String name) {
		return null;
	}

}
