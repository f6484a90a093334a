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
	 * Return the permits of a breaker. If no breaker has that name, the message of the
	 * exception is the violated rule, without a full stop.
	 */
	CallPermits permits(String name, boolean awaited);

	/**
	 * Return the state of a breaker in the other library's words, in lower case, or null
	 * if it is unknown.
	 */
	default @Nullable String state(String name) {
		return null;
	}

}
