package dev.backoff.spring.configuration;

import java.util.Map;

import dev.backoff.breaker.BreakerSettings;

/**
 * One breaker of the configuration, or one with the numbers that are built in. Its name
 * is written as below {@code backoff.breakers}, else as by its first user. Settings of a
 * breaker of another library say only whether refused calls wait. Immutable.
 *
 * @since 0.1
 */
public record BreakerEntry(String name, BreakerSettings settings, BackoffProperties.BreakerProvider provider,
		Map<BreakerKey, EffectiveValue> values) {

	/** Return the same numbers under another name. */
	BreakerEntry withName(String name) {
		return new BreakerEntry(name, this.settings, this.provider, this.values);
	}

}
