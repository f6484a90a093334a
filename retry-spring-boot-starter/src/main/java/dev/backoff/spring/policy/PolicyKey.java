package dev.backoff.spring.policy;

import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * The keys of a policy, as a configuration writes them. Those that the annotation has too
 * carry its attribute's name.
 *
 * @since 0.1
 */
public enum PolicyKey implements SectionKey {

	/** Policy to take values from. */
	INHERITS(null),

	/** Set of numbers for a situation. */
	PRESET("preset"),

	/** Whether the policy retries. */
	ENABLED(null),

	/** How delays grow. */
	SHAPE("shape"),

	/** Delay before the first retry. */
	BASE("base"),

	/** Longest delay. */
	CAP("cap"),

	/** Growth of an exponential shape. */
	MULTIPLIER("multiplier"),

	/** Growth of a linear shape. */
	STEP("step"),

	/** Delays one after the other. */
	LADDER("ladder"),

	/** How chance spreads the delays. */
	JITTER("jitter"),

	/** Number of all attempts. */
	MAX_ATTEMPTS("maxAttempts"),

	/** Time for the whole call. */
	DEADLINE("deadline"),

	/** Time for each attempt. */
	ATTEMPT_TIMEOUT("attemptTimeout"),

	/** Time an attempt needs at least before the deadline. */
	SHORTEST_ATTEMPT(null),

	/** Least base after a throttled failure. */
	THROTTLED_BASE(null),

	/** Exception types to retry. */
	RETRY_ON("retryOn"),

	/** Exception types never to retry. */
	ABORT_ON("abortOn"),

	/** Whether the lists of types look at causes too. */
	MATCH_CAUSES(null),

	/** Bean name of a classifier that is asked first. */
	CLASSIFIER("classifier"),

	/** What happens to a failure that a call inside has retried. */
	NESTED(null),

	/** Whether a stream is retried though elements have been passed on. */
	REPLAY(null),

	/** Name of the circuit breaker. */
	BREAKER("breaker"),
	/** Name of the budget of retries. */
	BUDGET("budget"),
	/** Whether work that was applied may be applied again. */
	IDEMPOTENT("idempotent"),
	/** What an empty budget does. */
	WHEN_EMPTY(null),
	/** Whether hints of servers are followed. */
	RETRY_AFTER_ENABLED("retry-after.enabled", null),

	/** Longest hint that is followed. */
	RETRY_AFTER_MAX("retry-after.max", null),
	/** Raised cap while many attempts fail. */
	WHEN_DEGRADED_CAP("when-degraded.cap", null),
	/** Raised base while many attempts fail. */
	WHEN_DEGRADED_BASE("when-degraded.base", null),
	/** Share of failed attempts that raises the delays. */
	WHEN_DEGRADED_FAILURE_RATE("when-degraded.failure-rate", null),
	/** How far back attempts are counted. */
	WHEN_DEGRADED_WINDOW("when-degraded.window", null),
	/** Attempts the window must hold before the delays are raised. */
	WHEN_DEGRADED_MINIMUM_CALLS("when-degraded.minimum-calls", null);

	private final String key;

	private final @Nullable String attribute;

	PolicyKey(@Nullable String attribute) {
		this.key = name().toLowerCase(Locale.ROOT).replace('_', '-');
		this.attribute = attribute;
	}

	PolicyKey(String key, @Nullable String attribute) {
		this.key = key;
		this.attribute = attribute;
	}

	/**
	 * {@return the key below the policy's name; for instance {@code max-attempts} or
	 * {@code retry-after.max}}
	 */
	@Override
	public String key() {
		return this.key;
	}

	/**
	 * {@return the attribute of the annotation; its name, or null for a key of the
	 * configuration only}
	 */
	public @Nullable String attribute() {
		return this.attribute;
	}

	/** Return the key that is written like the given text, whatever its separators. */
	static @Nullable PolicyKey of(String text) {
		return Section.POLICIES.keyOf(text);
	}

	/** Return an immutable copy in the order of the keys, so that reports have one. */
	static <V> Map<PolicyKey, V> inOrder(Map<PolicyKey, V> values) {
		return Collections.unmodifiableMap(new TreeMap<>(values));
	}

}
