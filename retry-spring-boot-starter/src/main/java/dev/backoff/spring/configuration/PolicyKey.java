package dev.backoff.spring.configuration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.backoff.annotation.Backoff;
import dev.backoff.delay.Jitter;
import dev.backoff.failure.Idempotency;
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
public final class PolicyKey {

	static final List<Key<?>> KEYS = new ArrayList<>();

	public static final Key<String> INHERITS = Key.of(KEYS, "inherits", Function.identity(), null);

	public static final Key<Preset> PRESET = Key.of(KEYS, "preset", OverloadValues.oneOf(Preset.class), null);

	public static final Key<Boolean> ENABLED = Key.of(KEYS, "enabled", TextValues::flag, "true",
			RetryPolicyBuilder::enabled);

	public static final Key<ShapeName> SHAPE = Key.of(KEYS, "shape", OverloadValues.oneOf(ShapeName.class),
			"exponential");

	public static final Key<Duration> BASE = Key.of(KEYS, "base", TextValues::duration, "100ms");

	public static final Key<Duration> CAP = Key.of(KEYS, "cap", TextValues::positiveDuration, "10s");

	public static final Key<Double> MULTIPLIER = Key.of(KEYS, "multiplier",
			(text) -> OverloadValues.growth(text, "delay"), "2");

	public static final Key<Duration> STEP = Key.of(KEYS, "step", TextValues::duration, null);

	public static final Key<List<Duration>> LADDER = Key.ofList(KEYS, "ladder", TextValues::ladder);

	public static final Key<Jitter> JITTER = Key.of(KEYS, "jitter", TextValues::jitter, "full");

	public static final Key<Integer> MAX_ATTEMPTS = Key.of(KEYS, "max-attempts", OverloadValues::attempts, "4");

	public static final Key<Duration> DEADLINE = Key.of(KEYS, "deadline", TextValues::durationOrNone, "none",
			(RetryPolicyBuilder builder, Duration limit) -> builder.deadline(orNull(limit)));

	public static final Key<Duration> ATTEMPT_TIMEOUT = Key.of(KEYS, "attempt-timeout", TextValues::durationOrNone,
			"none", (RetryPolicyBuilder builder, Duration limit) -> builder.attemptTimeout(orNull(limit)));

	public static final Key<Duration> SHORTEST_ATTEMPT = Key.of(KEYS, "shortest-attempt", TextValues::duration, "10ms",
			RetryPolicyBuilder::shortestAttempt);

	public static final Key<Boolean> FINAL_POLL = Key.of(KEYS, "final-poll", TextValues::flag, "true",
			RetryPolicyBuilder::finalPoll);

	public static final Key<Duration> THROTTLED_BASE = Key.of(KEYS, "throttled-base", TextValues::duration, "1s");

	public static final Key<List<String>> RETRY_ON = Key.ofEach(KEYS, "retry-on", Function.identity());

	public static final Key<List<String>> ABORT_ON = Key.ofEach(KEYS, "abort-on", Function.identity());

	public static final Key<Boolean> MATCH_CAUSES = Key.of(KEYS, "match-causes", TextValues::flag, "true",
			RetryPolicyBuilder::matchCauses);

	public static final Key<String> CLASSIFIER = Key.of(KEYS, "classifier", Function.identity(), null);

	public static final Key<Nested> NESTED = Key.of(KEYS, "nested", OverloadValues.oneOf(Nested.class), "stop",
			(RetryPolicyBuilder builder, Nested nested) -> builder.nestedMultiply(nested == Nested.MULTIPLY));

	public static final Key<Boolean> REPLAY = Key.of(KEYS, "replay", TextValues::flag, "false");

	public static final Key<Boolean> DURABLE = Key.of(KEYS, "durable", TextValues::flag, null);

	public static final Key<String> SCHEDULE = Key.of(KEYS, "schedule", Function.identity(), null);

	public static final Key<String> SCHEDULE_ZONE = Key.of(KEYS, "schedule-zone", Function.identity(), null);

	public static final Key<String> BREAKER = Key.of(KEYS, "breaker", Function.identity(), "none");

	public static final Key<String> BUDGET = Key.of(KEYS, "budget", Function.identity(), null);

	public static final Key<String> PACE = Key.of(KEYS, "pace", Function.identity(), "none");

	public static final Key<Idempotency> IDEMPOTENT = Key.of(KEYS, "idempotent", OverloadValues::idempotency,
			"by-method", RetryPolicyBuilder::idempotency);

	public static final Key<WhenEmpty> WHEN_EMPTY = Key.of(KEYS, "when-empty", OverloadValues.oneOf(WhenEmpty.class),
			"stop", (RetryPolicyBuilder builder, WhenEmpty whenEmpty) -> builder
				.postponedWhenEmpty(whenEmpty == WhenEmpty.WAIT));

	public static final Key<Integer> CONCURRENCY = Key.of(KEYS, "concurrency", OverloadValues::permits, "none",
			RetryPolicyBuilder::concurrency);

	public static final Key<Integer> MAX_WAITING = Key.of(KEYS, "max-waiting", OverloadValues::waiting, null);

	public static final Key<Boolean> RETRY_AFTER_ENABLED = Key.of(KEYS, "retry-after.enabled", TextValues::flag, "true",
			RetryPolicyBuilder::retryAfterEnabled);

	public static final Key<Duration> RETRY_AFTER_MAX = Key.of(KEYS, "retry-after.max", TextValues::positiveDuration,
			"1m", RetryPolicyBuilder::retryAfterMax);

	private PolicyKey() {
	}

	private static @Nullable Duration orNull(Duration limit) {
		return limit.isZero() ? null : limit;
	}

}
