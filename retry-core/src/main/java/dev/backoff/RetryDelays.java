package dev.backoff;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.RandomSource;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.Nanos;

/**
 * The delays of one call, one after the other, for a library that makes attempts and
 * waits by itself. Budget, breaker, hints of servers, raised delays and permits have no
 * part in them, since outcomes are not told. Not thread-safe.
 *
 * @since 0.1
 */
public final class RetryDelays {

	private final CallSettings settings;

	private final RandomSource random;

	private final long started;

	private int retries;

	private long previous;

	RetryDelays(CallSettings settings, RandomSource random) {
		this.settings = settings;
		this.random = random;
		this.started = settings.time().nanoTime();
	}

	/**
	 * Return the delay before the next retry.
	 * @return the delay, or null if no retry follows: all attempts are used, none fits
	 * before the deadline, or retries are switched off
	 */
	public @Nullable Duration next() {
		RetryPolicy policy = this.settings.policy();
		boolean limited = policy.maxAttempts() != RetryPolicy.UNLIMITED_ATTEMPTS;
		if (this.settings.retries().off() != null || (limited && this.retries + 1 >= policy.maxAttempts())) {
			return null;
		}
		this.retries = Math.max(this.retries, this.retries + 1);
		BackoffRule rule = policy.rule();
		this.previous = rule.delay(this.retries, this.previous, this.random);
		long elapsed = Math.max(0, this.settings.time().nanoTime() - this.started);
		long end = Nanos.plus(Nanos.plus(elapsed, this.previous), policy.shortestAttemptNanos());
		boolean fits = policy.deadlineNanos() == Nanos.UNLIMITED || end < policy.deadlineNanos();
		return fits ? Duration.ofNanos(this.previous) : null;
	}

}
