package dev.backoff.breaker;

import java.time.Duration;

import dev.backoff.time.Nanos;
import dev.backoff.window.OutcomeWindow.Counts;

/**
 * What a breaker's settings say of calls and counts.
 *
 * @param settings the settings
 * @param slowNanos the time that a slow call exceeds, which every call is compared with
 */
record Limits(BreakerSettings settings, long slowNanos) {

	/* The longest time open, however much it grows. */
	private static final Duration LONGEST_OPEN = Duration.ofHours(1);

	static Limits of(BreakerSettings settings) {
		Duration slowCall = settings.slowCall();
		return new Limits(settings, (slowCall != null) ? Nanos.of(slowCall) : Nanos.UNLIMITED);
	}

	boolean isSlow(long nanos) {
		return nanos > this.slowNanos;
	}

	/** Return whether there are enough calls, and too many of them failed or slow. */
	boolean isTooMuch(Counts counts) {
		return counts.total() >= this.settings.minimumCalls() && isRateTooHigh(counts);
	}

	boolean isRateTooHigh(Counts counts) {
		return counts.failureRate() >= this.settings.failureRate() || counts.slowRate() >= this.settings.slowCallRate();
	}

	/** Return the longest time open, in nanoseconds, after so many. */
	long longestOpen(int opensBefore) {
		long first = Nanos.of(this.settings.openFor());
		long cap = Math.max(first, Nanos.of(LONGEST_OPEN));
		double grown = first * Math.pow(this.settings.openForMultiplier(), opensBefore);
		return (grown < cap) ? (long) grown : cap;
	}

}
