package dev.backoff.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.Idempotency;
import dev.backoff.time.Nanos;

/**
 * Collect the options of a {@link RetryPolicy}. Not thread-safe; may build more than
 * once. This file is long because a policy has that many options.
 *
 * @since 0.1
 */
public final class RetryPolicyBuilder implements Cloneable {

	final String name;

	@Nullable Shape shape;

	Duration base = Duration.ofMillis(100);

	double multiplier = 2;

	@Nullable Duration cap;

	Jitter jitter = Jitter.full();

	Duration throttledBase = Duration.ofSeconds(1);

	int maxAttempts = 4;

	long deadline = Nanos.UNLIMITED;

	long attemptTimeout = Nanos.UNLIMITED;

	long shortestAttempt = 10_000_000;

	List<Class<? extends Throwable>> retryOn = List.of();

	List<Class<? extends Throwable>> abortOn = List.of();

	boolean retryOnOfKey;

	List<Class<? extends Throwable>> abortOnOfKey = List.of();

	List<FailureClassifier> classifiers = List.of();

	@Nullable RetryCondition retryWhen;

	@Nullable RetryCondition until;

	boolean matchCauses = true;

	boolean retryAfterEnabled = true;

	@Nullable Duration retryAfterMax;

	boolean nestedMultiply;

	boolean judgedByLists;

	@Nullable Idempotency idempotency;

	boolean postponedWhenEmpty;

	boolean finalPoll = true;

	int concurrency = RetryPolicy.UNLIMITED_CONCURRENCY;

	@Nullable Integer maxWaiting;

	boolean enabled = true;

	RetryPolicyBuilder(String name) {
		if (name.isBlank()) {
			throw new IllegalArgumentException("Invalid name (" + name + "): must not be blank.");
		}
		if (name.chars().anyMatch(Character::isISOControl)) {
			// a line break could forge a log line
			throw new IllegalArgumentException("Invalid name (" + name.replaceAll("\\p{Cntrl}", "?")
					+ "): must not have line breaks or the like.");
		}
		this.name = name;
	}

	/**
	 * Set the options that a preset sets.
	 * @param preset the preset
	 * @return this builder
	 */
	public RetryPolicyBuilder preset(Preset preset) {
		this.shape = null;
		Preset.Numbers set = preset.numbers();
		this.base = set.base();
		this.cap = set.cap();
		this.maxAttempts = set.maxAttempts();
		this.deadline = (set.deadline() != null) ? Nanos.of(set.deadline()) : this.deadline;
		this.multiplier = (set.multiplier() != null) ? set.multiplier() : this.multiplier;
		this.jitter = (set.jitter() != null) ? set.jitter() : this.jitter;
		this.postponedWhenEmpty |= set.isPostponedWhenEmpty();
		return this;
	}

	/**
	 * Use exponential delays from this base, with the multiplier that is set.
	 * @param base the delay before the first retry, zero or more, 100 ms by default
	 * @return this builder
	 */
	public RetryPolicyBuilder base(Duration base) {
		this.shape = null;
		this.base = base;
		return this;
	}

	/**
	 * Use exponential delays with this multiplier, from the base that is set.
	 * @param multiplier a finite number, 1 or more, 2 by default
	 * @return this builder
	 */
	public RetryPolicyBuilder multiplier(double multiplier) {
		this.shape = null;
		this.multiplier = multiplier;
		return this;
	}

	/**
	 * Use delays of this shape. It replaces base and multiplier.
	 * @param shape the delays before cap and jitter
	 * @return this builder
	 */
	public RetryPolicyBuilder shape(Shape shape) {
		this.shape = shape;
		return this;
	}

	/**
	 * Set the longest delay. Without a cap it is 10 s, or 100 times the base if that is
	 * longer; the delays of a ladder then have no limit.
	 * @param cap not below the base
	 * @return this builder
	 */
	public RetryPolicyBuilder cap(Duration cap) {
		this.cap = cap;
		return this;
	}

	/**
	 * Set how chance spreads the delays.
	 * @param jitter the jitter
	 * @return this builder
	 */
	public RetryPolicyBuilder jitter(Jitter jitter) {
		this.jitter = jitter;
		return this;
	}

	/**
	 * Set the least base after a throttled failure. It is never longer than the cap.
	 * @param throttledBase zero or more, 1 s by default
	 * @return this builder
	 * @throws IllegalArgumentException if it is negative
	 */
	public RetryPolicyBuilder throttledBase(Duration throttledBase) {
		Nanos.notNegative("throttledBase", throttledBase);
		this.throttledBase = throttledBase;
		return this;
	}

	/**
	 * Set the number of all attempts, the first included.
	 * @param maxAttempts 1 or more, 4 by default; {@link RetryPolicy#UNLIMITED_ATTEMPTS}
	 * for no limit
	 * @return this builder
	 * @throws IllegalArgumentException if the number is below 1
	 */
	public RetryPolicyBuilder maxAttempts(int maxAttempts) {
		if (maxAttempts < 1) {
			throw new IllegalArgumentException("Invalid maxAttempts (" + maxAttempts
					+ "): must be 1 or more, the first call included; use RetryPolicy.UNLIMITED_ATTEMPTS for no limit.");
		}
		this.maxAttempts = maxAttempts;
		return this;
	}

	/**
	 * Set the time for the whole call, waits included. After the deadline no attempt
	 * starts; a running attempt goes on.
	 * @param deadline above zero, or null for none
	 * @return this builder
	 * @throws IllegalArgumentException if the deadline is zero or negative
	 */
	public RetryPolicyBuilder deadline(@Nullable Duration deadline) {
		this.deadline = (deadline != null) ? Nanos.aboveZero("deadline", deadline) : Nanos.UNLIMITED;
		return this;
	}

	/**
	 * Set the time for each attempt. It is never longer than the time until the deadline.
	 * A blocking attempt that takes longer is interrupted; the stage of an asynchronous
	 * attempt is cancelled. Both fail with an {@code AttemptTimeoutException}, which is
	 * transient. Work that does not react to interruption ends late; its result then
	 * stands.
	 * @param attemptTimeout above zero, or null for none
	 * @return this builder
	 * @throws IllegalArgumentException if the timeout is zero or negative
	 */
	public RetryPolicyBuilder attemptTimeout(@Nullable Duration attemptTimeout) {
		this.attemptTimeout = (attemptTimeout != null) ? Nanos.aboveZero("attemptTimeout", attemptTimeout)
				: Nanos.UNLIMITED;
		return this;
	}

	/**
	 * Set the least time before the deadline that an attempt needs.
	 * @param shortestAttempt zero or more, 10 ms by default
	 * @return this builder
	 * @throws IllegalArgumentException if it is negative
	 */
	public RetryPolicyBuilder shortestAttempt(Duration shortestAttempt) {
		this.shortestAttempt = Nanos.notNegative("shortestAttempt", shortestAttempt);
		return this;
	}

	/**
	 * Retry these failures only.
	 * @param types exception types; subtypes are included
	 * @return this builder
	 */
	@SafeVarargs
	@SuppressWarnings("varargs") // the array is read and not kept
	public final RetryPolicyBuilder retryOn(Class<? extends Throwable>... types) {
		return retryOn(List.of(types));
	}

	/**
	 * Retry these failures only.
	 * @param types exception types; subtypes are included; replaces earlier ones
	 * @return this builder
	 */
	public RetryPolicyBuilder retryOn(List<Class<? extends Throwable>> types) {
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
	public final RetryPolicyBuilder abortOn(Class<? extends Throwable>... types) {
		return abortOn(List.of(types));
	}

	/**
	 * Never retry these failures.
	 * @param types exception types; subtypes are included; added to earlier ones
	 * @return this builder
	 */
	public RetryPolicyBuilder abortOn(List<Class<? extends Throwable>> types) {
		List<Class<? extends Throwable>> all = new ArrayList<>(this.abortOn);
		all.addAll(types);
		this.abortOn = List.copyOf(all);
		return this;
	}

	/**
	 * Let stop reports write {@code retry-on} and {@code abort-on}, as configuration
	 * files do, instead of {@code retryOn} and {@code abortOn}.
	 * @param retryOn whether {@code retryOn} comes from a file
	 * @param abortOn the types of {@code abortOn} that come from a file
	 * @return this builder
	 */
	public RetryPolicyBuilder namedAsKeys(boolean retryOn, List<Class<? extends Throwable>> abortOn) {
		this.retryOnOfKey = retryOn;
		this.abortOnOfKey = List.copyOf(abortOn);
		return this;
	}

	/**
	 * Set the classifiers of failures.
	 * @param classifiers in the order they are asked; replaces earlier ones
	 * @return this builder
	 */
	public RetryPolicyBuilder classifiers(List<? extends FailureClassifier> classifiers) {
		this.classifiers = List.copyOf(classifiers);
		return this;
	}

	/**
	 * Let {@code retryOn} and {@code abortOn} decide alone, without classifiers and
	 * built-in rules.
	 * @param byLists false by default
	 * @return this builder
	 */
	public RetryPolicyBuilder judgedByLists(boolean byLists) {
		this.judgedByLists = byLists;
		return this;
	}

	/**
	 * Treat some results as failures.
	 * @param condition met by a result that is a failure, or null for none
	 * @return this builder
	 */
	public RetryPolicyBuilder retryWhen(@Nullable RetryCondition condition) {
		this.retryWhen = condition;
		return this;
	}

	/**
	 * Poll: make attempts until a result is final.
	 * @param condition met by a result that is final, or null for none
	 * @return this builder
	 */
	public RetryPolicyBuilder until(@Nullable RetryCondition condition) {
		this.until = condition;
		return this;
	}

	/**
	 * Set whether the lists of types look at causes too.
	 * @param matchCauses true by default
	 * @return this builder
	 */
	public RetryPolicyBuilder matchCauses(boolean matchCauses) {
		this.matchCauses = matchCauses;
		return this;
	}

	/**
	 * Set whether hints of servers are followed.
	 * @param enabled true by default
	 * @return this builder
	 */
	public RetryPolicyBuilder retryAfterEnabled(boolean enabled) {
		this.retryAfterEnabled = enabled;
		return this;
	}

	/**
	 * Set the longest hint that is followed.
	 * @param max zero or more; by default one minute or, if longer, the cap that was set
	 * or the longest level of a ladder without a cap
	 * @return this builder
	 * @throws IllegalArgumentException if it is negative
	 */
	public RetryPolicyBuilder retryAfterMax(Duration max) {
		Nanos.notNegative("retryAfterMax", max);
		this.retryAfterMax = max;
		return this;
	}

	/**
	 * Set whether a failure that an inner call has retried is retried again here.
	 * @param multiply false by default, because nested retries multiply
	 * @return this builder
	 */
	public RetryPolicyBuilder nestedMultiply(boolean multiply) {
		this.nestedMultiply = multiply;
		return this;
	}

	/**
	 * Set whether work that was applied already may be applied again.
	 * @param idempotency by default {@link Idempotency#BY_METHOD}, and
	 * {@link Idempotency#YES} for polling, which asks for a state
	 * @return this builder
	 */
	public RetryPolicyBuilder idempotency(Idempotency idempotency) {
		this.idempotency = idempotency;
		return this;
	}

	/**
	 * Set whether an empty budget postpones a retry instead of ending the call, which
	 * suits background work. Such a call may wait long; a deadline bounds its wait.
	 * @param postponed false by default
	 * @return this builder
	 */
	public RetryPolicyBuilder postponedWhenEmpty(boolean postponed) {
		this.postponedWhenEmpty = postponed;
		return this;
	}

	/**
	 * Set whether polling makes a final poll before the deadline if the next delay does
	 * not fit. Its time is drawn from the second half of the time left.
	 * @param finalPoll true by default
	 * @return this builder
	 */
	public RetryPolicyBuilder finalPoll(boolean finalPoll) {
		this.finalPoll = finalPoll;
		return this;
	}

	/**
	 * Set how many attempts of the policy may run at once. A permit is held for one
	 * attempt; a call that waits for its next attempt holds no permit.
	 * @param concurrency 1 or more; {@link RetryPolicy#UNLIMITED_CONCURRENCY}, the
	 * default, for no limit
	 * @return this builder
	 * @throws IllegalArgumentException if the number is below 1
	 */
	public RetryPolicyBuilder concurrency(int concurrency) {
		this.concurrency = atLeast(1, "concurrency", concurrency);
		return this;
	}

	/**
	 * Set how many calls may wait for a permit. Further calls are refused at once.
	 * @param maxWaiting 0 or more, 10 times the concurrency by default; no effect without
	 * {@link #concurrency}
	 * @return this builder
	 * @throws IllegalArgumentException if the number is negative
	 */
	public RetryPolicyBuilder maxWaiting(int maxWaiting) {
		this.maxWaiting = atLeast(0, "maxWaiting", maxWaiting);
		return this;
	}

	private static int atLeast(int least, String option, int value) {
		if (value < least) {
			throw new IllegalArgumentException(
					"Invalid " + option + " (" + value + "): must be " + least + " or more.");
		}
		return value;
	}

	/**
	 * Set whether the policy retries at all.
	 * @param enabled true by default
	 * @return this builder
	 */
	public RetryPolicyBuilder enabled(boolean enabled) {
		this.enabled = enabled;
		return this;
	}

	@Override
	protected RetryPolicyBuilder clone() {
		try {
			return (RetryPolicyBuilder) super.clone();
		}
		catch (CloneNotSupportedException ex) {
			throw new AssertionError(ex);
		}
	}

	/**
	 * Build the policy.
	 * @return the policy
	 * @throws IllegalArgumentException if two options contradict each other, naming both
	 */
	public RetryPolicy build() {
		return new RetryPolicy(this);
	}

}
