package dev.backoff.spring.safety;

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
	 * @throws IllegalArgumentException if there is no breaker of that name
	 */
	CallPermits permits(String name, boolean awaited);

}
