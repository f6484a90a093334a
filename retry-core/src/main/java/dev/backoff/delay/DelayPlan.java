package dev.backoff.delay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.Nanos;

/**
 * The delays that a rule will yield: the least, mean and greatest delay before each
 * retry, and totals for a call that uses up its attempts. Pages and start-up checks use a
 * plan, calls never do. Immutable and thread-safe.
 *
 * @param steps one for each retry; an immutable list
 * @since 0.1
 */
public record DelayPlan(List<DelayPlan.Step> steps) {

	/**
	 * The delays before one retry.
	 *
	 * @param retry the retry, counted from 1
	 * @param least the shortest delay that can be drawn, in nanoseconds
	 * @param mean the mean over all draws, in nanoseconds; with decorrelated jitter, an
	 * estimate from 2,000 histories
	 * @param greatest the delay that no draw exceeds, in nanoseconds
	 */
	public record Step(int retry, long least, long mean, long greatest) {
	}

	/* Never drawn: a draw of 1 gives the bound itself, not one nanosecond less. */
	private static final double BOUND = 1;

	/* A longer plan would help no reader. */
	private static final int LONGEST_PLAN = 10_000;

	private static final int HISTORIES = 2_000;

	/**
	 * Plan the given number of retries.
	 * @param rule the rule
	 * @param retries how many, zero or more; at most 10,000 are planned
	 * @return the plan
	 * @throws IllegalArgumentException if the number is negative
	 */
	public static DelayPlan of(BackoffRule rule, int retries) {
		if (retries < 0) {
			throw new IllegalArgumentException("Invalid retries (" + retries + "): must not be negative.");
		}
		return new DelayPlan(List.copyOf(steps(rule, Math.min(retries, LONGEST_PLAN))));
	}

	/**
	 * {@return the mean of the sum of all delays; nanoseconds, saturated}
	 */
	public long totalMean() {
		return this.steps.stream().mapToLong(Step::mean).reduce(0, Nanos::plus);
	}

	/**
	 * {@return the greatest sum of all delays; nanoseconds, saturated}
	 */
	public long totalGreatest() {
		return this.steps.stream().mapToLong(Step::greatest).reduce(0, Nanos::plus);
	}

	/**
	 * Return the largest base of an exponential shape with which all retries fit before a
	 * deadline, even with their longest delays.
	 * <p>
	 * Without a cap, the base is the first term of a geometric series. For N retries,
	 * multiplier M, attempts of the time τ and the greatest jitter j it is
	 * {@code base = (deadline - (N+1)·τ)·(M-1) / (j·(M^N - 1))}, or
	 * {@code (deadline - (N+1)·τ) / (j·N)} for M = 1. With a cap there is no closed form,
	 * so that the base is found by bisection. For 5 retries, ×2, within 30 s: <pre>
	 * attempts of   0 s        2 s        0 s, ±20 %
	 * base          967.7 ms   580.6 ms   806.5 ms
	 * </pre>
	 * @param deadline the time for the whole call
	 * @param retries how many retries, 1 or more
	 * @param multiplier 1 or more
	 * @param cap the longest delay; {@link Nanos#UNLIMITED} nanoseconds for none, null
	 * for the {@linkplain BackoffRule#builtInCap built-in} one
	 * @param attempt the time of one attempt
	 * @param greatestJitter the longest jittered delay as a multiple of the delay: 1 for
	 * most jitters, 1.2 for ±20 %
	 * @return the largest base in whole nanoseconds, at most the cap; zero if the
	 * attempts alone fill the time
	 * @throws IllegalArgumentException if a time is negative
	 */
	public static Duration largestBase(Duration deadline, int retries, double multiplier, @Nullable Duration cap,
			Duration attempt, double greatestJitter) {
		long longest = (cap != null) ? Nanos.notNegative("cap", cap) : Nanos.UNLIMITED;
		double attempts = (retries + 1.0) * Nanos.notNegative("attempt", attempt);
		double waits = (Nanos.notNegative("deadline", deadline) - attempts) / greatestJitter;
		if (waits <= 0) {
			return Duration.ZERO;
		}
		long fits = 0;
		// one delay is no longer than all of them
		long most = Math.min((long) waits, longest);
		while (fits < most) {
			long middle = most - (most - fits) / 2;
			long capped = (cap != null) ? longest : BackoffRule.builtInCap(middle);
			if (total(middle, retries, multiplier, capped) <= waits) {
				fits = middle;
			}
			else {
				most = middle - 1;
			}
		}
		return Duration.ofNanos(fits);
	}

	private static double total(long base, int retries, double multiplier, long cap) {
		double total = 0;
		double delay = base;
		for (int retry = 1; retry <= retries && delay > 0; retry++) {
			if (delay >= cap || multiplier == 1) {
				return total + (retries - retry + 1.0) * Math.min(delay, (double) cap);
			}
			total += delay;
			delay *= multiplier;
		}
		return total;
	}

	/*
	 * A decorrelated delay depends on the one before, so its mean is taken over drawn
	 * histories. The seed is fixed, so that every page shows the same mean. Any other
	 * jitter has the same mean after every history.
	 */
	private static List<Step> steps(BackoffRule rule, int retries) {
		List<Step> steps = new ArrayList<>(retries);
		SplittableRandom random = new SplittableRandom(1);
		long base = rule.baseNanos();
		long cap = rule.capNanos();
		Jitter jitter = rule.jitter();
		long[] before = new long[jitter.replacesShape() ? HISTORIES : 1];
		Arrays.fill(before, base);
		long greatest = base;
		for (int retry = 1; retry <= retries; retry++) {
			greatest = jitter.apply(rule.unspread(retry, greatest), base, cap, BOUND);
			double sum = 0;
			for (int history = 0; history < before.length; history++) {
				long delay = rule.unspread(retry, before[history]);
				sum += jitter.mean(delay, base, cap);
				before[history] = jitter.apply(delay, base, cap, random.nextDouble());
			}
			long least = jitter.apply(rule.unspread(retry, base), base, cap, 0);
			steps.add(new Step(retry, least, Math.round(sum / before.length), greatest));
		}
		return steps;
	}

}
