package dev.backoff.policy;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.Shape;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.Idempotency;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * The rules of a call: what is retried, how often, until when, and with which delays.
 * <p>
 * The defaults are 4 attempts, exponential delays from 100 ms ×2 with a cap of 10 s and
 * full jitter, and no deadline. Every exception is retried except programming errors and
 * refusals. The three retries together wait 350 ms on average and 700 ms at most.
 * Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class RetryPolicy {

	/** The value of {@link #maxAttempts()} that means no limit. */
	public static final int UNLIMITED_ATTEMPTS = Integer.MAX_VALUE;

	/** The value of {@link #concurrency()} that means no limit. */
	public static final int UNLIMITED_CONCURRENCY = ConcurrencyLimit.UNLIMITED;

	/** How many calls may wait for each permit, unless their number is set: {@value}. */
	public static final int WAITING_PER_SLOT = 10;

	/* The longest hint that is followed, unless a longer delay was set. */
	private static final long RETRY_AFTER_MAX = Duration.ofMinutes(1).toNanos();

	/* A copy that nothing changes any more. */
	private final RetryPolicyBuilder builder;

	private final BackoffRule rule;

	private final BackoffRule throttledRule;

	private final long retryAfterMax;

	RetryPolicy(RetryPolicyBuilder builder) {
		this.builder = builder.clone();
		Shape shape = (builder.shape != null) ? builder.shape : Shape.exponential(builder.base, builder.multiplier);
		this.rule = BackoffRule.of(shape,
				(builder.cap != null) ? builder.cap : Duration.ofNanos(BackoffRule.builtInCap(shape)), builder.jitter);
		this.throttledRule = this.rule.withBaseAtLeast(builder.throttledBase);
		this.retryAfterMax = (builder.retryAfterMax != null) ? Nanos.of(builder.retryAfterMax)
				: Math.max(RETRY_AFTER_MAX, (builder.cap != null) ? Nanos.of(builder.cap) : longestLevel(shape));
	}

	private static long longestLevel(Shape ladder) {
		return IntStream.rangeClosed(1, ladder.levels()).mapToLong(ladder::nanos).max().orElse(0);
	}

	/**
	 * {@return a new builder with the options of this policy, which stays unchanged}
	 */
	public RetryPolicyBuilder toBuilder() {
		return this.builder.clone();
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
		return this.builder.name;
	}

	/**
	 * {@return the rule that yields the delays}
	 */
	public BackoffRule rule() {
		return this.rule;
	}

	/**
	 * Return the rule for one delay.
	 * @param throttled whether the delay follows a throttled failure
	 * @return the rule
	 */
	public BackoffRule rule(boolean throttled) {
		return throttled ? this.throttledRule : this.rule;
	}

	/**
	 * {@return the limit of attempts, the first included, or {@link #UNLIMITED_ATTEMPTS}}
	 */
	public int maxAttempts() {
		return this.builder.maxAttempts;
	}

	/**
	 * {@return the deadline in nanoseconds; {@link Nanos#UNLIMITED} for no deadline}
	 */
	public long deadlineNanos() {
		return this.builder.deadline;
	}

	/**
	 * {@return the attempt timeout in nanoseconds; {@link Nanos#UNLIMITED} for none}
	 */
	public long attemptTimeoutNanos() {
		return this.builder.attemptTimeout;
	}

	/**
	 * {@return the least time before the deadline for an attempt, in nanoseconds}
	 */
	public long shortestAttemptNanos() {
		return this.builder.shortestAttempt;
	}

	/**
	 * {@return the failures that are retried; empty for the default ones}
	 */
	public List<Class<? extends Throwable>> retryOn() {
		return this.builder.retryOn;
	}

	/**
	 * {@return the failures that are never retried; the list outweighs all other options}
	 */
	public List<Class<? extends Throwable>> abortOn() {
		return this.builder.abortOn;
	}

	/**
	 * {@return how stop reports name {@link #retryOn()}}
	 */
	public String retryOnName() {
		return this.builder.retryOnOfKey ? "retry-on" : "retryOn";
	}

	/**
	 * Return how stop reports name {@link #abortOn()}.
	 * @param listed the type of the list that a report is about
	 * @return the name
	 */
	public String abortOnName(Class<?> listed) {
		return this.builder.abortOnOfKey.contains(listed) ? "abort-on" : "abortOn";
	}

	/**
	 * {@return the classifiers in the order they are asked, an immutable list}
	 */
	public List<FailureClassifier> classifiers() {
		return this.builder.classifiers;
	}

	/**
	 * {@return whether {@link #retryOn()} and {@link #abortOn()} decide alone}
	 */
	public boolean isJudgedByLists() {
		return this.builder.judgedByLists;
	}

	/**
	 * {@return the condition for results that count as failures, or null}
	 */
	public @Nullable RetryCondition retryWhen() {
		return this.builder.retryWhen;
	}

	/**
	 * {@return the condition for results that are final, or null}
	 */
	public @Nullable RetryCondition until() {
		return this.builder.until;
	}

	/**
	 * {@return whether {@link #retryOn()} and {@link #abortOn()} look at causes too}
	 */
	public boolean matchCauses() {
		return this.builder.matchCauses;
	}

	/**
	 * {@return whether hints of servers are followed, true by default}
	 */
	public boolean isRetryAfterEnabled() {
		return this.builder.retryAfterEnabled;
	}

	/**
	 * {@return the longest hint that is followed, in nanoseconds; a longer one ends the
	 * call}
	 */
	public long retryAfterMaxNanos() {
		return this.retryAfterMax;
	}

	/**
	 * {@return whether a failure that an inner call has retried is retried again here}
	 */
	public boolean isNestedMultiply() {
		return this.builder.nestedMultiply;
	}

	/**
	 * {@return whether work that was applied already may be applied again}
	 */
	public Idempotency idempotency() {
		return (this.builder.idempotency != null) ? this.builder.idempotency
				: (this.builder.until != null) ? Idempotency.YES : Idempotency.BY_METHOD;
	}

	/**
	 * {@return whether {@link #idempotency()} was set, and is not the default}
	 */
	public boolean isIdempotencySet() {
		return this.builder.idempotency != null;
	}

	/**
	 * {@return whether an empty budget postpones a retry instead of ending the call}
	 */
	public boolean isPostponedWhenEmpty() {
		return this.builder.postponedWhenEmpty;
	}

	/**
	 * {@return whether polling makes a final poll before the deadline if no further delay
	 * fits, true by default}
	 */
	public boolean isFinalPoll() {
		return this.builder.finalPoll;
	}

	/**
	 * {@return how many attempts may run at once, or {@link #UNLIMITED_CONCURRENCY}}
	 */
	public int concurrency() {
		return this.builder.concurrency;
	}

	/**
	 * {@return how many calls may wait for a permit, 0 or more}
	 */
	public int maxWaiting() {
		return (this.builder.maxWaiting != null) ? this.builder.maxWaiting
				: (int) Math.min(ConcurrencyLimit.UNLIMITED, (long) WAITING_PER_SLOT * this.builder.concurrency);
	}

	/**
	 * {@return whether this policy retries at all, true by default}
	 */
	public boolean isEnabled() {
		return this.builder.enabled;
	}

	@Override
	public String toString() {
		String attempts = (this.builder.maxAttempts == UNLIMITED_ATTEMPTS) ? "unlimited"
				: Integer.toString(this.builder.maxAttempts);
		String limit = (deadlineNanos() == Nanos.UNLIMITED) ? "no deadline"
				: "deadline " + DurationText.exact(deadlineNanos());
		return "RetryPolicy " + this.builder.name + " (" + attempts + " attempts, " + rule() + ", " + limit + ")";
	}

}
