package dev.backoff.spring.configuration;

import java.util.Map;

import dev.backoff.breaker.BreakerSettings;

/**
 * A breaker of the configuration, or a breaker with the built-in numbers. Its name is
 * spelt as below {@code backoff.breakers}, or else as its first user spells it. For a
 * breaker of another library, the settings only say whether rejected calls wait.
 * Immutable.
 *
 * @since 0.1
 */
public record BreakerEntry(String name, BreakerSettings settings, BackoffProperties.BreakerProvider provider,
		Map<Key<?>, EffectiveValue> values) {

	/** Return the same numbers under another name. */
	BreakerEntry withName(String name) {
		return new BreakerEntry(name, this.settings, this.provider, this.values);
	}

}
