package dev.backoff.spring.live;

import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Level;

/**
 * One value that has changed.
 *
 * @param subject its owner: {@code policy payment-callback}, {@code breaker payments}, or
 * {@code backoff} for a key at the top
 * @param key the key below the subject
 * @param before the value before with its origin, or null if there was none
 * @param now the value now with its origin, or null if there is none
 * @since 0.1
 */
public record ValueChange(String subject, String key, @Nullable EffectiveValue before, @Nullable EffectiveValue now) {

	/* The keys at the top that a refresh changes. */
	private static final Set<String> LIVE = Set.of("enabled", "retries-enabled", "unknown-keys", "instances");

	/** Return whether it is more than the coming or going of a built-in value. */
	boolean isWritten() {
		return (this.before != null && this.now != null) || !isBuiltIn(this.before) || !isBuiltIn(this.now);
	}

	private static boolean isBuiltIn(@Nullable EffectiveValue value) {
		return value == null || value.level().equals(Level.BUILT_IN);
	}

	/** Log the change; most keys at the top hold only from the next start on. */
	void log(Logger logger, String how) {
		if (this.subject.equals("backoff") && !LIVE.contains(this.key)) {
			logger.warn("{}, in effect from the next start on: {}", how, this);
		}
		else {
			logger.info("{}: {}", how, this);
		}
	}

	@Override
	public String toString() {
		return this.subject + ": " + this.key + " " + text(this.before) + " -> " + text(this.now);
	}

	private static String text(@Nullable EffectiveValue value) {
		return (value != null) ? value.value() + " (" + value.origin() + ")" : "none";
	}

}
