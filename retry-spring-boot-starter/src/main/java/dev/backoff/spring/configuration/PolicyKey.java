package dev.backoff.spring.configuration;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
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
 * The keys of a policy, which {@link BackoffProperties.Policy} describes. Each has a
 * parser, its default if it has a fixed one, and the setter of the policy's builder
 * unless the value depends on others. A key with the name of an attribute of
 * {@link Backoff} is also read from the annotation.
 *
 * @since 0.1
 */
public enum PolicyKey implements ConfigurationKey {

	INHERITS(ValueType.TEXT),

	PRESET(ValueType.of((text) -> TextValues.word(Preset.class, text))),

	ENABLED(TextValues::flag, "true", RetryPolicyBuilder::enabled),

	SHAPE(ValueType.of((text) -> TextValues.word(ShapeName.class, text), "exponential")),

	BASE(ValueType.of(TextValues::duration, "100ms")),

	CAP(ValueType.of(TextValues::positiveDuration, "10s")),

	MULTIPLIER(ValueType.of((text) -> OverloadValues.growth(text, "delay"), "2")),

	STEP(ValueType.of(TextValues::duration)),

	LADDER(ValueType.list(TextValues::ladder)),

	JITTER(ValueType.of(TextValues::jitter, "full")),

	MAX_ATTEMPTS(ValueType.of(TextValues::attempts, "4")),

	DEADLINE(TextValues::durationOrNone, "none", (builder, limit) -> builder.deadline(orNull(limit))),

	ATTEMPT_TIMEOUT(TextValues::durationOrNone, "none", (builder, limit) -> builder.attemptTimeout(orNull(limit))),

	SHORTEST_ATTEMPT(TextValues::duration, "10ms", RetryPolicyBuilder::shortestAttempt),

	FINAL_POLL(TextValues::flag, "true", RetryPolicyBuilder::finalPoll),

	THROTTLED_BASE(ValueType.of(TextValues::duration, "1s")),

	RETRY_ON(ValueType.TEXTS),

	ABORT_ON(ValueType.TEXTS),

	MATCH_CAUSES(TextValues::flag, "true", RetryPolicyBuilder::matchCauses),

	CLASSIFIER(ValueType.TEXT),

	NESTED((text) -> TextValues.word(Nested.class, text), "stop",
			(builder, nested) -> builder.nestedMultiply(nested == Nested.MULTIPLY)),

	REPLAY(ValueType.of(TextValues::flag, "false")),

	DURABLE(ValueType.of(TextValues::flag)),

	SCHEDULE(ValueType.TEXT),

	SCHEDULE_ZONE(ValueType.TEXT),

	BREAKER(ValueType.of(Function.identity(), "none")),

	BUDGET(ValueType.TEXT),

	IDEMPOTENT(OverloadValues::idempotency, "by-method", RetryPolicyBuilder::idempotency),

	WHEN_EMPTY((text) -> TextValues.word(WhenEmpty.class, text), "stop",
			(builder, whenEmpty) -> builder.postponedWhenEmpty(whenEmpty == WhenEmpty.WAIT)),

	CONCURRENCY(OverloadValues::permits, "none", RetryPolicyBuilder::concurrency),

	MAX_WAITING(ValueType.of(OverloadValues::waiting)),

	RETRY_AFTER_ENABLED(TextValues::flag, "true", RetryPolicyBuilder::retryAfterEnabled),

	RETRY_AFTER_MAX(TextValues::positiveDuration, "1m", RetryPolicyBuilder::retryAfterMax);

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
		this.attribute = Attributes.NAMES.get(Name.of(this.key));
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

	/** The attributes of the annotation. */
	private static final class Attributes {

		private static final Map<Name, String> NAMES = new HashMap<>();

		static {
			for (Method attribute : Backoff.class.getDeclaredMethods()) {
				NAMES.put(Name.of(attribute.getName()), attribute.getName());
			}
		}

	}

}
