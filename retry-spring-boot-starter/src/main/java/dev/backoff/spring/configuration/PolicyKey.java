package dev.backoff.spring.configuration;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.backoff.annotation.Backoff;
import dev.backoff.policy.Preset;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.spring.configuration.BackoffProperties.Nested;
import dev.backoff.spring.configuration.BackoffProperties.ShapeName;
import dev.backoff.spring.configuration.BackoffProperties.WhenEmpty;

/**
 * The keys of a policy. Each has a parser, its default if it has a fixed one, and the
 * setter of the policy's builder unless the value depends on others. A key whose name is
 * the name of an attribute of {@link Backoff} is read from the annotation too.
 *
 * @since 0.1
 */
public enum PolicyKey implements ConfigurationKey {

	/** Policy to take values from. */
	INHERITS(ValueType.TEXT),

	/** Set of numbers for a situation. */
	PRESET(ValueType.of((text) -> TextValues.word(Preset.class, text))),

	/** Whether the policy retries. */
	ENABLED(TextValues::flag, "true", RetryPolicyBuilder::enabled),

	/** How delays grow. */
	SHAPE(ValueType.of((text) -> TextValues.word(ShapeName.class, text), "exponential")),

	/** Delay before the first retry. */
	BASE(ValueType.of(TextValues::duration, "100ms")),

	/** Longest delay. */
	CAP(ValueType.of(TextValues::positiveDuration, "10s")),

	/** Growth of an exponential shape. */
	MULTIPLIER(ValueType.of((text) -> OverloadValues.growth(text, "delay"), "2")),

	/** Growth of a linear shape. */
	STEP(ValueType.of(TextValues::duration)),

	/** Delays one after the other. */
	LADDER(ValueType.list(TextValues::ladder)),

	/** How chance spreads the delays. */
	JITTER(ValueType.of(TextValues::jitter, "full")),

	/** Number of all attempts. */
	MAX_ATTEMPTS(ValueType.of(TextValues::attempts, "4")),

	/** Time for the whole call. */
	DEADLINE(TextValues::durationOrNone, "none", (builder, limit) -> builder.deadline(orNull(limit))),

	/** Time for each attempt. */
	ATTEMPT_TIMEOUT(TextValues::durationOrNone, "none", (builder, limit) -> builder.attemptTimeout(orNull(limit))),

	/** Least time before the deadline that an attempt needs. */
	SHORTEST_ATTEMPT(TextValues::duration, "10ms", RetryPolicyBuilder::shortestAttempt),

	/** Whether polling asks once more before the deadline. */
	FINAL_POLL(TextValues::flag, "true", RetryPolicyBuilder::finalPoll),

	/** Least base after a throttled failure. */
	THROTTLED_BASE(ValueType.of(TextValues::duration, "1s")),

	/** Exception types to retry. */
	RETRY_ON(ValueType.TEXTS),

	/** Exception types never to retry. */
	ABORT_ON(ValueType.TEXTS),

	/** Whether the lists of types apply to causes too. */
	MATCH_CAUSES(TextValues::flag, "true", RetryPolicyBuilder::matchCauses),

	/**
	 * Bean name of a classifier that is asked first, or none for lists that decide alone.
	 */
	CLASSIFIER(ValueType.TEXT),

	/** What happens to a failure that an inner call has already retried. */
	NESTED((text) -> TextValues.word(Nested.class, text), "stop",
			(builder, nested) -> builder.nestedMultiply(nested == Nested.MULTIPLY)),

	/** Whether a stream is retried after elements have been passed on. */
	REPLAY(ValueType.of(TextValues::flag, "false")),

	/** Whether calls are stored. */
	DURABLE(ValueType.of(TextValues::flag)),

	/** When a durable method is called by itself. */
	SCHEDULE(ValueType.TEXT),

	/** Time zone of a cron expression. */
	SCHEDULE_ZONE(ValueType.TEXT),

	/** Name of the circuit breaker. */
	BREAKER(ValueType.of(Function.identity(), "none")),

	/** Name of the budget of retries. */
	BUDGET(ValueType.TEXT),

	/** Whether work that was applied may be applied again. */
	IDEMPOTENT(OverloadValues::idempotency, "true", RetryPolicyBuilder::idempotency),

	/** What an empty budget does. */
	WHEN_EMPTY((text) -> TextValues.word(WhenEmpty.class, text), "stop",
			(builder, whenEmpty) -> builder.postponedWhenEmpty(whenEmpty == WhenEmpty.WAIT)),

	/** Number of attempts that run at once. */
	CONCURRENCY(OverloadValues::permits, "none", RetryPolicyBuilder::concurrency),

	/** Number of attempts that may wait for a permit. */
	MAX_WAITING(ValueType.of(OverloadValues::waiting)),

	/** Whether hints of servers are followed. */
	RETRY_AFTER_ENABLED(TextValues::flag, "true", RetryPolicyBuilder::retryAfterEnabled),

	/** Longest hint that is followed. */
	RETRY_AFTER_MAX(ValueType.of(TextValues::positiveDuration, "1m"));

	private final String key = TextValues.kebab(this).replaceFirst("^retry-after-", "retry-after.");

	private final @Nullable String attribute;

	@SuppressWarnings("ImmutableEnumChecker") // parsers and setters have no state
	private final ValueType type;

	@SuppressWarnings("ImmutableEnumChecker")
	private final @Nullable BiConsumer<RetryPolicyBuilder, Object> setter;

	PolicyKey(ValueType type) {
		this(type, null);
	}

	@SuppressWarnings("unchecked") // the setter gets what the parser returns
	<T> PolicyKey(Function<String, T> parser, String builtIn, BiConsumer<RetryPolicyBuilder, T> setter) {
		this(ValueType.of(parser, builtIn), (BiConsumer<RetryPolicyBuilder, Object>) setter);
	}

	PolicyKey(ValueType type, @Nullable BiConsumer<RetryPolicyBuilder, Object> setter) {
		this.type = type;
		this.setter = setter;
		this.attribute = Attributes.NAMES.get(this.key.replace("-", ""));
	}

	private static @Nullable Duration orNull(Duration limit) {
		return limit.isZero() ? null : limit;
	}

	/**
	 * Return the key below the policy's name, for instance {@code max-attempts} or
	 * {@code retry-after.max}.
	 */
	@Override
	public String key() {
		return this.key;
	}

	/**
	 * Return the attribute of the annotation, or null for a key of the configuration
	 * only.
	 */
	public @Nullable String attribute() {
		return this.attribute;
	}

	@Override
	public ValueType type() {
		return this.type;
	}

	/** Return the setter of the builder, or null if the value depends on others. */
	public @Nullable BiConsumer<RetryPolicyBuilder, Object> setter() {
		return this.setter;
	}

	/** Return the key that is written like the given text, whatever its separators. */
	static @Nullable PolicyKey of(String text) {
		return Section.POLICIES.keyOf(text);
	}

	/** The attributes of the annotation by their letters in lower case. */
	private static final class Attributes {

		private static final Map<String, String> NAMES = new TreeMap<>();

		static {
			for (Method attribute : Backoff.class.getDeclaredMethods()) {
				NAMES.put(TextValues.canonical(attribute.getName()), attribute.getName());
			}
		}

	}

}
