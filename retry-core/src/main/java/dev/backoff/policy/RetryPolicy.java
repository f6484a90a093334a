package dev.backoff.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.Idempotency;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * What is retried, how often, until when, and how spaced.
 * <p>
 * The defaults: {@value #DEFAULT_MAX_ATTEMPTS} attempts, exponential from 100 ms ×2 with
 * a cap of 10 s and full jitter, no deadline, every exception but programming errors.
 * Three retries then wait 350 ms on average and 700 ms at most. Immutable and
 * thread-safe.
 *
 * @since 0.1
 */
public final class RetryPolicy {

	/** The value of {@link #maxAttempts()} that means no limit. */
	public static final int UNLIMITED_ATTEMPTS = Integer.MAX_VALUE;

	/** All attempts, the first included, unless set: {@value}. */
	public static final int DEFAULT_MAX_ATTEMPTS = 4;

	/** The base unless set: 100 ms. */
	public static final Duration DEFAULT_BASE = Duration.ofMillis(100);

	/** The cap unless set: 10 s. */
	public static final Duration DEFAULT_CAP = Duration.ofSeconds(10);

	/** The multiplier unless set: {@value}. */
	public static final double DEFAULT_MULTIPLIER = 2;

	/** The least base after a throttled failure unless set: 1 s. */
	public static final Duration DEFAULT_THROTTLED_BASE = Duration.ofSeconds(1);

	/** What an attempt needs at least before the deadline unless set: 10 ms. */
	public static final Duration DEFAULT_SHORTEST_ATTEMPT = Duration.ofMillis(10);

	/** The longest hint of a server that is followed unless the cap is longer: 1 min. */
	public static final Duration DEFAULT_RETRY_AFTER_MAX = Duration.ofMinutes(1);

	private final String name;

	private final BackoffRule rule;

	private final BackoffRule throttledRule;

	private final int maxAttempts;

	private final long deadline;

	private final long attemptTimeout;

	private final long shortestAttempt;

	private final List<Class<? extends Throwable>> retryOn;

	private final List<Class<? extends Throwable>> abortOn;

	private final List<FailureClassifier> classifiers;

	private final @Nullable RetryCondition retryWhen;

	private final @Nullable RetryCondition until;

	private final boolean matchCauses;

	private final boolean retryAfterEnabled;

	private final long retryAfterMax;

	private final boolean nestedMultiply;

	private final Idempotency idempotency;

	private final boolean postponedWhenEmpty;

	private final @Nullable DegradedSettings degraded;

	private final BackoffRule degradedRule;

	private final BackoffRule degradedThrottledRule;

	private final boolean enabled;

	private RetryPolicy(Builder builder) {
		this.name = builder.name;
		this.rule = builder.rule();
		this.throttledRule = this.rule.withBaseAtLeast(builder.throttledBase);
		this.maxAttempts = builder.maxAttempts;
		this.deadline = (builder.deadline != null) ? Nanos.of(builder.deadline) : Nanos.UNLIMITED;
		this.attemptTimeout = (builder.attemptTimeout != null) ? Nanos.of(builder.attemptTimeout) : Nanos.UNLIMITED;
		this.shortestAttempt = Nanos.of(builder.shortestAttempt);
		this.retryOn = List.copyOf(builder.retryOn);
		this.abortOn = List.copyOf(builder.abortOn);
		this.classifiers = List.copyOf(builder.classifiers);
		this.retryWhen = builder.retryWhen;
		this.until = builder.until;
		this.matchCauses = builder.matchCauses;
		this.retryAfterEnabled = builder.retryAfterEnabled;
		this.retryAfterMax = (builder.retryAfterMax != null) ? Nanos.of(builder.retryAfterMax)
				: Math.max(Nanos.of(DEFAULT_RETRY_AFTER_MAX), longestDelay(this.rule));
		this.nestedMultiply = builder.nestedMultiply;
		this.idempotency = builder.idempotency;
		this.postponedWhenEmpty = builder.postponedWhenEmpty;
		this.degraded = builder.degraded;
		this.degradedRule = builder.degradedRule(this.rule);
		this.degradedThrottledRule = this.degradedRule.withBaseAtLeast(builder.throttledBase);
		this.enabled = builder.enabled;
	}

	/* A ladder without a cap ends at its longest rung; "no cap" would follow any hint. */
	private static long longestDelay(BackoffRule rule) {
		int rungs = rule.shape().rungs();
		return (rungs == 0) ? rule.capNanos() : IntStream.rangeClosed(1, rungs).mapToLong(rule::capped).max().orElse(0);
	}

	/**
	 * Return the policy with all defaults.
	 * @param name how logs and meters call it
	 * @return the policy
	 */
	public static RetryPolicy defaults(String name) {
		return builder(name).build();
	}

	/**
	 * Start a policy from the defaults.
	 * @param name how logs and meters call it
	 * @return a builder, which may build more than once
	 * @throws IllegalArgumentException if the name is blank or has control characters
	 */
	public static Builder builder(String name) {
		return new Builder(name);
	}

	/**
	 * {@return how logs and meters call the policy}
	 */
	public String name() {
		return this.name;
	}

	/**
	 * {@return the rule that yields the delays}
	 */
	public BackoffRule rule() {
		return this.rule;
	}

	/**
	 * Return the rule after a throttled failure: the same, from a higher base.
	 * @return the rule
	 */
	public BackoffRule throttledRule() {
		return this.throttledRule;
	}

	/**
	 * {@return the number of all attempts, the first included; 1 or more,
	 * {@link #UNLIMITED_ATTEMPTS} for no limit}
	 */
	public int maxAttempts() {
		return this.maxAttempts;
	}

	/**
	 * {@return the time for the whole call, waits included; nanoseconds,
	 * {@link Nanos#UNLIMITED} for no deadline}
	 */
	public long deadlineNanos() {
		return this.deadline;
	}

	/**
	 * {@return the time for each attempt, of which an attempt gets less when the deadline
	 * has less left; nanoseconds, {@link Nanos#UNLIMITED} for no timeout}
	 */
	public long attemptTimeoutNanos() {
		return this.attemptTimeout;
	}

	/**
	 * Return what an attempt needs at least: a delay that leaves less before the deadline
	 * is not waited.
	 * @return nanoseconds, zero or more
	 */
	public long shortestAttemptNanos() {
		return this.shortestAttempt;
	}

	/**
	 * Return the failures that are retried; empty for all but programming errors.
	 * @return an immutable list
	 */
	public List<Class<? extends Throwable>> retryOn() {
		return this.retryOn;
	}

	/**
	 * {@return the failures that are not retried, whatever else says so; an immutable
	 * list}
	 */
	public List<Class<? extends Throwable>> abortOn() {
		return this.abortOn;
	}

	/**
	 * {@return the classifiers, in the order they are asked; an immutable list}
	 */
	public List<FailureClassifier> classifiers() {
		return this.classifiers;
	}

	/**
	 * {@return the condition for results that count as failures, or null}
	 */
	public @Nullable RetryCondition retryWhen() {
		return this.retryWhen;
	}

	/**
	 * {@return the condition for results that are final, or null}
	 */
	public @Nullable RetryCondition until() {
		return this.until;
	}

	/**
	 * {@return whether {@link #retryOn()} and {@link #abortOn()} look at causes too; true
	 * by default}
	 */
	public boolean matchCauses() {
		return this.matchCauses;
	}

	/**
	 * {@return whether hints of servers are followed; true by default}
	 */
	public boolean isRetryAfterEnabled() {
		return this.retryAfterEnabled;
	}

	/**
	 * Return the longest hint that is followed; a longer one stops the call.
	 * @return nanoseconds
	 */
	public long retryAfterMaxNanos() {
		return this.retryAfterMax;
	}

	/**
	 * {@return whether a failure that an inner call has retried is retried again here;
	 * false by default, because layers multiply}
	 */
	public boolean isNestedMultiply() {
		return this.nestedMultiply;
	}

	/**
	 * {@return whether work that was applied already may be applied again;
	 * {@link Idempotency#ASSUMED} by default}
	 */
	public Idempotency idempotency() {
		return this.idempotency;
	}

	/**
	 * {@return whether an empty budget postpones a retry instead of ending the call;
	 * false by default}
	 */
	public boolean isPostponedWhenEmpty() {
		return this.postponedWhenEmpty;
	}

	/**
	 * {@return when the delays are raised, or null if they never are}
	 */
	public @Nullable DegradedSettings degraded() {
		return this.degraded;
	}

	/**
	 * {@return the rule while many attempts fail; a rule with a raised base or cap, or
	 * {@link #rule()} if they never are}
	 */
	public BackoffRule degradedRule() {
		return this.degradedRule;
	}

	/**
	 * {@return the rule after a failure of the given kind}
	 * @param throttled whether the failure was a throttled one
	 * @param isDegraded whether the delays are raised
	 */
	public BackoffRule rule(boolean throttled, boolean isDegraded) {
		if (isDegraded) {
			return throttled ? this.degradedThrottledRule : this.degradedRule;
		}
		return throttled ? this.throttledRule : this.rule;
	}

	/**
	 * {@return whether this policy retries at all; true by default}
	 */
	public boolean isEnabled() {
		return this.enabled;
	}

	@Override
	public String toString() {
		String attempts = (this.maxAttempts == UNLIMITED_ATTEMPTS) ? "unlimited" : Integer.toString(this.maxAttempts);
		String limit = (this.deadline == Nanos.UNLIMITED) ? "no deadline"
				: "deadline " + DurationText.exact(this.deadline);
		return "RetryPolicy " + this.name + " (" + attempts + " attempts, " + this.rule + ", " + limit + ")";
	}

	/**
	 * Collect the options of a policy. Not thread-safe; may build more than once.
	 */
	public static final class Builder {

		private final String name;

		private @Nullable Shape shape;

		private Duration base = DEFAULT_BASE;

		private double multiplier = DEFAULT_MULTIPLIER;

		private @Nullable Duration cap;

		private Jitter jitter = Jitter.full();

		private Duration throttledBase = DEFAULT_THROTTLED_BASE;

		private int maxAttempts = DEFAULT_MAX_ATTEMPTS;

		private @Nullable Duration deadline;

		private @Nullable Duration attemptTimeout;

		private Duration shortestAttempt = DEFAULT_SHORTEST_ATTEMPT;

		private List<Class<? extends Throwable>> retryOn = List.of();

		private final List<Class<? extends Throwable>> abortOn = new ArrayList<>();

		private List<FailureClassifier> classifiers = List.of();

		private @Nullable RetryCondition retryWhen;

		private @Nullable RetryCondition until;

		private boolean matchCauses = true;

		private boolean retryAfterEnabled = true;

		private @Nullable Duration retryAfterMax;

		private boolean nestedMultiply;

		private Idempotency idempotency = Idempotency.ASSUMED;

		private boolean postponedWhenEmpty;

		private @Nullable DegradedSettings degraded;

		private boolean enabled = true;

		private Builder(String name) {
			if (name.isBlank()) {
				throw new IllegalArgumentException("Invalid name (" + name + "): must not be blank.");
			}
			if (name.chars().anyMatch(Character::isISOControl)) {
				// it stands in log lines, which it could forge
				throw new IllegalArgumentException("Invalid name (" + name.replaceAll("\\p{Cntrl}", "?")
						+ "): must not have line breaks or the like.");
			}
			this.name = name;
		}

		/**
		 * Set all that a preset sets.
		 * @param preset the preset
		 * @return this builder
		 */
		public Builder preset(Preset preset) {
			this.shape = null;
			this.base = preset.base();
			this.cap = preset.cap();
			this.maxAttempts = preset.maxAttempts();
			this.deadline = (preset.deadline() != null) ? preset.deadline() : this.deadline;
			this.multiplier = (preset.multiplier() != null) ? preset.multiplier() : this.multiplier;
			this.jitter = (preset.jitter() != null) ? preset.jitter() : this.jitter;
			this.postponedWhenEmpty = preset.isPostponedWhenEmpty() || this.postponedWhenEmpty;
			return this;
		}

		/**
		 * Wait by an exponential from this base, with the multiplier that is set.
		 * @param base the delay before the first retry, zero or more
		 * @return this builder
		 */
		public Builder base(Duration base) {
			this.shape = null;
			this.base = base;
			return this;
		}

		/**
		 * Wait by an exponential with this multiplier, from the base that is set.
		 * @param multiplier a finite number, 1 or more
		 * @return this builder
		 */
		public Builder multiplier(double multiplier) {
			this.shape = null;
			this.multiplier = multiplier;
			return this;
		}

		/**
		 * Wait by any shape. It replaces base and multiplier.
		 * @param shape the delays before cap and jitter
		 * @return this builder
		 */
		public Builder shape(Shape shape) {
			this.shape = shape;
			return this;
		}

		/**
		 * Set the longest delay. Without one it is 10 s, or the base if that is longer; a
		 * ladder then has none.
		 * @param cap not below the base
		 * @return this builder
		 */
		public Builder cap(Duration cap) {
			this.cap = cap;
			return this;
		}

		/**
		 * Set how chance spreads the delays.
		 * @param jitter the jitter
		 * @return this builder
		 */
		public Builder jitter(Jitter jitter) {
			this.jitter = jitter;
			return this;
		}

		/**
		 * Set the least base after a throttled failure, at most the cap.
		 * @param throttledBase zero or more
		 * @return this builder
		 */
		public Builder throttledBase(Duration throttledBase) {
			this.throttledBase = notNegative("throttledBase", throttledBase);
			return this;
		}

		/**
		 * Set the number of all attempts, the first included.
		 * @param maxAttempts 1 or more
		 * @return this builder
		 * @throws IllegalArgumentException if the number is below 1
		 */
		public Builder maxAttempts(int maxAttempts) {
			if (maxAttempts < 1) {
				throw new IllegalArgumentException("Invalid maxAttempts (" + maxAttempts
						+ "): must be 1 or more, the first call included; use unlimitedAttempts() for no limit.");
			}
			this.maxAttempts = maxAttempts;
			return this;
		}

		/**
		 * Retry without a limit in number.
		 * @return this builder
		 */
		public Builder unlimitedAttempts() {
			this.maxAttempts = UNLIMITED_ATTEMPTS;
			return this;
		}

		/**
		 * Set the time for the whole call, waits included. After it no attempt starts; an
		 * attempt that is running is not cut.
		 * @param deadline above zero, or null for none
		 * @return this builder
		 * @throws IllegalArgumentException if the deadline is zero or negative
		 */
		public Builder deadline(@Nullable Duration deadline) {
			this.deadline = aboveZero("deadline", deadline);
			return this;
		}

		/**
		 * Set the time for each attempt, of which an attempt gets less when the deadline
		 * has less left. A blocking attempt that takes longer is interrupted, the stage
		 * of an asynchronous one is cancelled; either ends as an
		 * {@code AttemptTimeoutException}, which is transient. Work that does not react
		 * to interruption ends late; its result then stands.
		 * @param attemptTimeout above zero, or null for none
		 * @return this builder
		 * @throws IllegalArgumentException if the timeout is zero or negative
		 */
		public Builder attemptTimeout(@Nullable Duration attemptTimeout) {
			this.attemptTimeout = aboveZero("attemptTimeout", attemptTimeout);
			return this;
		}

		private static @Nullable Duration aboveZero(String name, @Nullable Duration value) {
			if (value != null && (value.isNegative() || value.isZero())) {
				throw new IllegalArgumentException(
						"Invalid " + name + " (" + DurationText.exact(value) + "): must be above zero.");
			}
			return value;
		}

		/**
		 * Set what an attempt needs at least before the deadline.
		 * @param shortestAttempt zero or more
		 * @return this builder
		 */
		public Builder shortestAttempt(Duration shortestAttempt) {
			this.shortestAttempt = notNegative("shortestAttempt", shortestAttempt);
			return this;
		}

		/**
		 * Retry these failures only.
		 * @param types exception types; subtypes are included
		 * @return this builder
		 */
		@SafeVarargs
		@SuppressWarnings("varargs") // the array is read and not kept
		public final Builder retryOn(Class<? extends Throwable>... types) {
			return retryOn(List.of(types));
		}

		/**
		 * Retry these failures only.
		 * @param types exception types; subtypes are included; replaces earlier ones
		 * @return this builder
		 */
		public Builder retryOn(List<Class<? extends Throwable>> types) {
			this.retryOn = List.copyOf(types);
			return this;
		}

		/**
		 * Never retry these failures.
		 * @param types exception types; subtypes are included
		 * @return this builder
		 */
		@SafeVarargs
		@SuppressWarnings("varargs") // the array is read and not kept
		public final Builder abortOn(Class<? extends Throwable>... types) {
			return abortOn(List.of(types));
		}

		/**
		 * Never retry these failures.
		 * @param types exception types; subtypes are included; added to earlier ones
		 * @return this builder
		 */
		public Builder abortOn(List<Class<? extends Throwable>> types) {
			this.abortOn.addAll(List.copyOf(types));
			return this;
		}

		/**
		 * Set who classifies failures.
		 * @param classifiers in the order they are asked; replaces earlier ones
		 * @return this builder
		 */
		public Builder classifiers(List<? extends FailureClassifier> classifiers) {
			this.classifiers = List.copyOf(classifiers);
			return this;
		}

		/**
		 * Treat some results as failures.
		 * @param condition met by a result that is a failure, or null for none
		 * @return this builder
		 */
		public Builder retryWhen(@Nullable RetryCondition condition) {
			this.retryWhen = condition;
			return this;
		}

		/**
		 * Ask again until a result is final: polling.
		 * @param condition met by a result that is final, or null for none
		 * @return this builder
		 */
		public Builder until(@Nullable RetryCondition condition) {
			this.until = condition;
			return this;
		}

		/**
		 * Set whether the lists of types look at causes too.
		 * @param matchCauses true by default
		 * @return this builder
		 */
		public Builder matchCauses(boolean matchCauses) {
			this.matchCauses = matchCauses;
			return this;
		}

		/**
		 * Set whether hints of servers are followed.
		 * @param enabled true by default
		 * @return this builder
		 */
		public Builder retryAfterEnabled(boolean enabled) {
			this.retryAfterEnabled = enabled;
			return this;
		}

		/**
		 * Set the longest hint that is followed.
		 * @param max zero or more; by default the larger of one minute and the cap, of a
		 * ladder its longest rung
		 * @return this builder
		 */
		public Builder retryAfterMax(Duration max) {
			this.retryAfterMax = notNegative("retryAfterMax", max);
			return this;
		}

		/**
		 * Set whether a failure that an inner call has retried is retried again here.
		 * @param multiply false by default
		 * @return this builder
		 */
		public Builder nestedMultiply(boolean multiply) {
			this.nestedMultiply = multiply;
			return this;
		}

		/**
		 * Set whether work that was applied already may be applied again.
		 * @param idempotency {@link Idempotency#ASSUMED} by default
		 * @return this builder
		 */
		public Builder idempotency(Idempotency idempotency) {
			this.idempotency = idempotency;
			return this;
		}

		/**
		 * Set whether an empty budget postpones a retry instead of ending the call: for
		 * work that nobody waits for. Such a call may wait for long; a deadline bounds
		 * it.
		 * @param postponed false by default
		 * @return this builder
		 */
		public Builder postponedWhenEmpty(boolean postponed) {
			this.postponedWhenEmpty = postponed;
			return this;
		}

		/**
		 * Set when the delays are raised, and to what.
		 * @param degraded the settings, or null to never raise them
		 * @return this builder
		 */
		public Builder degraded(@Nullable DegradedSettings degraded) {
			this.degraded = degraded;
			return this;
		}

		/**
		 * Set whether the policy retries at all.
		 * @param enabled true by default
		 * @return this builder
		 */
		public Builder enabled(boolean enabled) {
			this.enabled = enabled;
			return this;
		}

		/**
		 * Build the policy.
		 * @return the policy
		 * @throws IllegalArgumentException if two options contradict each other, naming
		 * both
		 */
		public RetryPolicy build() {
			return new RetryPolicy(this);
		}

		private BackoffRule rule() {
			Shape delays = (this.shape != null) ? this.shape : Shape.exponential(this.base, this.multiplier);
			return BackoffRule.of(delays, cap(delays), this.jitter);
		}

		private BackoffRule degradedRule(BackoffRule normal) {
			if (this.degraded == null) {
				return normal;
			}
			Duration raised = this.degraded.cap();
			if (raised != null && Nanos.of(raised) < normal.capNanos()) {
				boolean none = normal.capNanos() == Nanos.UNLIMITED;
				throw new IllegalArgumentException("Invalid degraded cap (" + DurationText.exact(raised) + "): "
						+ (none ? "must not be set, since there is no cap that it could raise."
								: "must not be below the cap (" + DurationText.exact(normal.capNanos()) + ")."));
			}
			Duration base = this.degraded.base();
			Shape shape = (base != null) ? normal.shape().withBaseAtLeast(base) : normal.shape();
			return BackoffRule.of(shape, (raised != null) ? raised : Duration.ofNanos(normal.capNanos()),
					normal.jitter());
		}

		private Duration cap(Shape delays) {
			if (this.cap != null) {
				return this.cap;
			}
			if (delays.rungs() > 0) {
				return Duration.ofNanos(Nanos.UNLIMITED);
			}
			return Duration.ofNanos(Math.max(Nanos.of(DEFAULT_CAP), delays.baseNanos()));
		}

		private static Duration notNegative(String option, Duration value) {
			if (value.isNegative()) {
				throw new IllegalArgumentException(
						"Invalid " + option + " (" + DurationText.exact(value) + "): must not be negative.");
			}
			return value;
		}

	}

}
