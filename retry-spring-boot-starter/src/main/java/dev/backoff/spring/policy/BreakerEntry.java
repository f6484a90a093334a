package dev.backoff.spring.policy;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

import dev.backoff.breaker.BreakerSettings;

/**
 * One breaker of the configuration, or one with the numbers that are built in. Immutable.
 *
 * @param name its name as it is written below {@code backoff.breakers}, else as its first
 * user writes it; environment variables have only its letters and digits
 * @param spelled whether the name is written below {@code backoff.breakers}
 * @param settings its numbers; of a breaker of another library only whether refused calls
 * wait
 * @param provider the library that has it
 * @param values the values in effect with their origins, in the order of the keys
 * @since 0.1
 */
public record BreakerEntry(String name, boolean spelled, BreakerSettings settings,
		BackoffProperties.BreakerProvider provider, Map<BreakerKey, EffectivePolicy.Value> values) {

	/**
	 * Make an entry.
	 * @param name its name
	 * @param spelled whether the name is written in its section
	 * @param settings its numbers
	 * @param provider the library that has it
	 * @param values the values in effect, copied
	 */
	public BreakerEntry {
		Map<BreakerKey, EffectivePolicy.Value> copy = new EnumMap<>(BreakerKey.class);
		copy.putAll(values);
		values = Collections.unmodifiableMap(copy);
	}

	BreakerEntry withName(String name) {
		return new BreakerEntry(name, this.spelled, this.settings, this.provider, this.values);
	}

}
