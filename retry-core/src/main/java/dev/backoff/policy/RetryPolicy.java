package dev.backoff.policy;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.BackoffRule;
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

	private final DelayRules rules;

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

	private final boolean enabled;

	RetryPolicy(RetryPolicyBuilder builder) {
		this.name = builder.name;
		this.rules = DelayRules.of(builder);
		this.maxAttempts = builder.maxAttempts;
		this.deadline = nanos(builder.deadline, Nanos.UNLIMITED);
		this.attemptTimeout = nanos(builder.attemptTimeout, Nanos.UNLIMITED);
		this.shortestAttempt = Nanos.of(builder.shortestAttempt);
		this.retryOn = builder.retryOn;
		this.abortOn = List.copyOf(builder.abortOn);
		this.classifiers = builder.classifiers;
		this.retryWhen = builder.retryWhen;
		this.until = builder.until;
		this.matchCauses = builder.matchCauses;
		this.retryAfterEnabled = builder.retryAfterEnabled;
		this.retryAfterMax = nanos(builder.retryAfterMax,
				Math.max(Nanos.of(DEFAULT_RETRY_AFTER_MAX), this.rules.longestDelay()));
		this.nestedMultiply = builder.nestedMultiply;
		this.idempotency = builder.idempotency;
		this.postponedWhenEmpty = builder.postponedWhenEmpty;
		this.degraded = builder.degraded;
		this.enabled = builder.enabled;
	}

	private static long nanos(@Nullable Duration duration, long otherwise) {
		return (duration != null) ? Nanos.of(duration) : otherwise;
	}

	/**
	 * Return the policy with all defaults.
	 * @param name the policy's name in logs and meters
	 * @return the policy
	 * @throws IllegalArgumentException if the name is blank or has control characters
	 */
	public static RetryPolicy defaults(String name) {
		return builder(name).build();
	}

	/**
	 * Start a policy from the defaults.
	 * @param name the policy's name in logs and meters
	 * @return a builder, which may build more than once
	 * @throws IllegalArgumentException if the name is blank or has control characters
	 */
	public static RetryPolicyBuilder builder(String name) {
		return new RetryPolicyBuilder(name);
	}

	/**
	 * {@return the policy's name in logs and meters}
	 */
	public String name() {
		return this.name;
	}

	/**
	 * {@return the rule that yields the delays}
	 */
	public BackoffRule rule() {
		return this.rules.normal();
	}

	/**
	 * Return the rule while many attempts fail.
	 * @return a rule with a raised base or cap, or {@link #rule()} if they never are
	 */
	public BackoffRule degradedRule() {
		return this.rules.degraded();
	}

	/**
	 * Return the rule for one delay.
	 * @param throttled whether it follows a throttled failure
	 * @param degraded whether delays are raised
	 * @return the rule
	 */
	public BackoffRule rule(boolean throttled, boolean degraded) {
		return this.rules.after(throttled, degraded);
	}

	/**
	 * Return the number of all attempts, the first included.
	 * @return 1 or more, {@link #UNLIMITED_ATTEMPTS} for no limit
	 */
	public int maxAttempts() {
		return this.maxAttempts;
	}

	/**
	 * Return the time for the whole call, waits included.
	 * @return nanoseconds, {@link Nanos#UNLIMITED} for no deadline
	 */
	public long deadlineNanos() {
		return this.deadline;
	}

	/**
	 * Return the time for each attempt. An attempt gets less when the deadline has less
	 * left.
	 * @return nanoseconds, {@link Nanos#UNLIMITED} for no timeout
	 */
	public long attemptTimeoutNanos() {
		return this.attemptTimeout;
	}

	/**
	 * Return the time an attempt needs at least: a delay that leaves less before the
	 * deadline is not waited.
	 * @return nanoseconds, zero or more
	 */
	public long shortestAttemptNanos() {
		return this.shortestAttempt;
	}

	/**
	 * Return the failures that are retried.
	 * @return an immutable list, empty for all but programming errors
	 */
	public List<Class<? extends Throwable>> retryOn() {
		return this.retryOn;
	}

	/**
	 * Return the failures that are never retried, which outweighs all other options.
	 * @return an immutable list
	 */
	public List<Class<? extends Throwable>> abortOn() {
		return this.abortOn;
	}

	/**
	 * {@return the classifiers in the order they are asked, an immutable list}
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
	 * Return whether {@link #retryOn()} and {@link #abortOn()} look at causes too.
	 * @return true by default
	 */
	public boolean matchCauses() {
		return this.matchCauses;
	}

	/**
	 * {@return whether hints of servers are followed, true by default}
	 */
	public boolean isRetryAfterEnabled() {
		return this.retryAfterEnabled;
	}

	/**
	 * {@return the longest hint that is followed, in nanoseconds; a longer one stops}
	 */
	public long retryAfterMaxNanos() {
		return this.retryAfterMax;
	}

	/**
	 * Return whether a failure that an inner call has retried is retried again here.
	 * @return false by default, because layers multiply
	 */
	public boolean isNestedMultiply() {
		return this.nestedMultiply;
	}

	/**
	 * Return whether work that was applied already may be applied again.
	 * @return {@link Idempotency#ASSUMED} by default
	 */
	public Idempotency idempotency() {
		return this.idempotency;
	}

	/**
	 * Return whether an empty budget postpones a retry instead of ending the call.
	 * @return false by default
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
	 * {@return whether this policy retries at all, true by default}
	 */
	public boolean isEnabled() {
		return this.enabled;
	}

	@Override
	public String toString() {
		String attempts = (this.maxAttempts == UNLIMITED_ATTEMPTS) ? "unlimited" : Integer.toString(this.maxAttempts);
		String limit = (this.deadline == Nanos.UNLIMITED) ? "no deadline"
				: "deadline " + DurationText.exact(this.deadline);
		return "RetryPolicy " + this.name + " (" + attempts + " attempts, " + rule() + ", " + limit + ")";
	}

}
