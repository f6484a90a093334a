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
	 * {@return the permits of a breaker}
	 * @param name the breaker's name
	 * @param awaited whether refused calls wait instead of failing
	 * @throws IllegalArgumentException if there is no breaker of that name. Its message
	 * is the violated rule, without a full stop
	 */
	CallPermits permits(String name, boolean awaited);

	/**
	 * {@return the state of a breaker in the other library's words, in lower case, or
	 * null if it is unknown}
	 * @param name the breaker's name
	 */
	default @Nullable String state(String name) {
		return null;
	}

}
