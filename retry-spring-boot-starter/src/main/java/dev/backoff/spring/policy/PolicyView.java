package dev.backoff.spring.policy;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.Section;

/**
 * A policy that {@linkplain PolicyRule rules} are asked about.
 *
 * @param effective the values in effect
 * @param method the signature of the method with these values, such as
 * {@code OrderService.place(Order)}, or null for programmatic calls
 * @param holdsThread whether a call keeps its thread while it waits, as programmatic
 * calls may
 * @since 0.1
 */
public record PolicyView(EffectivePolicy effective, @Nullable String method, boolean holdsThread) {

	/** Return the name of the policy. */
	public String name() {
		return this.effective.name();
	}

	/** Return the values as numbers and types. */
	public RetryPolicy numbers() {
		return this.effective.numbers();
	}

	/** Return the value of a key with its origin, with an empty text if there is none. */
	public EffectiveValue value(String key) {
		Key<?> known = Section.POLICIES.keyOf(key);
		Assert.notNull(known, () -> "Policies have no key " + key);
		return this.effective.values().getOrDefault(known, EffectiveValue.builtIn(""));
	}

}
