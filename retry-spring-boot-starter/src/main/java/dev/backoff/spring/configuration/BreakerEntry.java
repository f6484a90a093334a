package dev.backoff.spring.configuration;

import java.util.Map;

import dev.backoff.breaker.BreakerSettings;

/**
 * One breaker of the configuration, or one with the numbers that are built in. Immutable.
 *
 * @param name its name as it is written below {@code backoff.breakers}, else as its first
 * user writes it; environment variables have only its letters and digits
 * @param settings its numbers; of a breaker of another library only whether refused calls
 * wait
 * @param provider the library that has it
 * @param values the values in effect with their origins, in the order of the keys
 * @since 0.1
 */
public record BreakerEntry(String name, BreakerSettings settings, BackoffProperties.BreakerProvider provider,
		Map<BreakerKey, EffectiveValue> values) {

	/** Return the same numbers under another name. */
	BreakerEntry withName(String name) {
		return new BreakerEntry(name, this.settings, this.provider, this.values);
	}

}
