package dev.backoff.spring.live;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.policy.EffectivePolicy;

/**
 * One value that is another one now.
 *
 * @param subject what has it: {@code policy payment-callback}, {@code breaker payments},
 * or {@code backoff} for a key at the top
 * @param key the key below that
 * @param before the value before with its origin, or null if there was none
 * @param now the value now with its origin, or null if there is none
 * @since 0.1
 */
public record ValueChange(String subject, String key, EffectivePolicy.@Nullable Value before,
		EffectivePolicy.@Nullable Value now) {

	/**
	 * Return whether somebody has written a value: not if a built-in one comes or goes.
	 */
	boolean isWritten() {
		return (this.before != null && this.now != null) || !isBuiltIn(this.before) || !isBuiltIn(this.now);
	}

	private static boolean isBuiltIn(EffectivePolicy.@Nullable Value value) {
		return value == null || value.origin().startsWith("built in");
	}

	@Override
	public String toString() {
		return this.subject + ": " + this.key + " " + text(this.before) + " -> " + text(this.now);
	}

	private static String text(EffectivePolicy.@Nullable Value value) {
		return (value != null) ? value.text() + " (" + value.origin() + ")" : "none";
	}

}
