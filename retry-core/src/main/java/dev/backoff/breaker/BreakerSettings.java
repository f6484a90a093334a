package dev.backoff.breaker;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;
import dev.backoff.window.OutcomeWindow.Counts;
import dev.backoff.window.OutcomeWindow.WindowLength;

/**
 * The numbers of a circuit breaker: when it opens, for how long, and how it finds out
 * whether it may close. Immutable and thread-safe. Start from {@link #builder()}.
 *
 * @param failureRate the share of failed calls at which the breaker opens, above 0 and at
 * most 1; 0.5 by default
 * @param slowCall the time a call must exceed to count as slow, above zero; null, the
 * default, if no call counts as slow
 * @param slowCallRate the share of slow calls at which the breaker opens, above 0 and at
 * most 1; 0.8 by default
 * @param window how far back the breaker counts, over a time or a number of calls; 30 s
 * by default
 * @param minimumCalls how many calls the window must hold before the breaker opens, 1 or
 * more; 20 by default
 * @param openFor the longest time that it stays open before it probes, above zero; 30 s
 * by default
 * @param openForMultiplier the factor by which the time open grows each time the probes
 * fail, up to 1 h or {@code openFor} if that is longer; a finite number of 1 or more, 1
 * by default
 * @param probes how many calls it permits while it is half-open, 1 or more; 3 by default
 * @param halfOpenTimeout how long the probes may take before it opens again, above zero;
 * {@code openFor} by default. The time runs only while probes are under way, so that
 * probes may be far apart.
 * @param awaited whether refused calls wait instead of failing; false by default
 * @since 0.1
 */
public record BreakerSettings(double failureRate, @Nullable Duration slowCall, double slowCallRate, WindowLength window,
		int minimumCalls, Duration openFor, double openForMultiplier, int probes, Duration halfOpenTimeout,
		boolean awaited) {

	/** The default settings. */
	public static final BreakerSettings DEFAULTS = builder().build();

	/* The longest time open, however much it grows. */
	private static final Duration LONGEST_OPEN = Duration.ofHours(1);

	/**
	 * Check the numbers.
	 * @param failureRate the share of failed calls
	 * @param slowCall the time of a slow call, or null
	 * @param slowCallRate the share of slow calls
	 * @param window how far back it counts
	 * @param minimumCalls how many calls it needs
	 * @param openFor how long it stays open
	 * @param openForMultiplier the factor by which the time open grows
	 * @param probes how many calls decide
	 * @param halfOpenTimeout how long the probes may take
	 * @param awaited whether refused calls wait
	 * @throws IllegalArgumentException if a number is out of its range, or a window over
	 * a number of calls holds fewer than the minimum
	 */
	public BreakerSettings {
		checkShare("failureRate", failureRate);
		if (slowCall != null) {
			Nanos.aboveZero("slowCall", slowCall);
		}
		checkShare("slowCallRate", slowCallRate);
		checkNumber("minimumCalls", minimumCalls);
		Nanos.aboveZero("openFor", openFor);
		if (!(openForMultiplier >= 1 && openForMultiplier < Double.POSITIVE_INFINITY)) {
			throw new IllegalArgumentException(
					"Invalid openForMultiplier (" + openForMultiplier + "): must be a finite number of at least 1.");
		}
		checkNumber("probes", probes);
		Nanos.aboveZero("halfOpenTimeout", halfOpenTimeout);
		if (window.time() == null && window.calls() < minimumCalls) {
			throw new IllegalArgumentException("Invalid window (" + window + "): must not be below the minimumCalls ("
					+ minimumCalls + "), or it never opens.");
		}
	}

	private static void checkShare(String name, double value) {
		if (!(value > 0 && value <= 1)) {
			throw new IllegalArgumentException("Invalid " + name + " (" + value + "): must be above 0 and at most 1.");
		}
	}

	private static void checkNumber(String name, int value) {
		if (value < 1) {
			throw new IllegalArgumentException("Invalid " + name + " (" + value + "): must be 1 or more.");
		}
	}

	boolean isSlow(long nanos) {
		return this.slowCall != null && nanos > Nanos.of(this.slowCall);
	}

	/** Return whether there are enough calls, and too many of them failed or slow. */
	boolean isTooMuch(Counts counts) {
		return counts.total() >= this.minimumCalls && isRateTooHigh(counts);
	}

	boolean isRateTooHigh(Counts counts) {
		return counts.failureRate() >= this.failureRate || counts.slowRate() >= this.slowCallRate;
	}

	/** Return the longest time open, in nanoseconds, after so many. */
	long longestOpen(int opensBefore) {
		long first = Nanos.of(this.openFor);
		long cap = Math.max(first, Nanos.of(LONGEST_OPEN));
		double grown = first * Math.pow(this.openForMultiplier, opensBefore);
		return (grown < cap) ? (long) grown : cap;
	}

	/**
	 * Start from the defaults.
	 * @return a builder, which may build more than once
	 */
	public static Builder builder() {
		return new Builder();
	}

	@Override
	public String toString() {
		return percent(this.failureRate) + " of at least " + this.minimumCalls + " calls failed"
				+ ((this.slowCall != null)
						? " or " + percent(this.slowCallRate) + " slower than " + DurationText.exact(this.slowCall)
						: "")
				+ " in " + this.window + ", open for " + DurationText.exact(this.openFor) + ", " + this.probes
				+ " probes";
	}

	private static String percent(double share) {
		double percent = Math.round(share * 1_000_000) / 10_000.0;
		return ((percent == Math.rint(percent)) ? Long.toString((long) percent) : Double.toString(percent)) + "%";
	}

	/**
	 * A builder of settings, whose numbers {@link #build()} checks. Not thread-safe; may
	 * build more than once.
	 */
	public static final class Builder {

		private double failureRate = 0.5;

		private @Nullable Duration slowCall;

		private double slowCallRate = 0.8;

		private WindowLength window = WindowLength.of(Duration.ofSeconds(30));

		private int minimumCalls = 20;

		private Duration openFor = Duration.ofSeconds(30);

		private double openForMultiplier = 1;

		private int probes = 3;

		private @Nullable Duration halfOpenTimeout;

		private boolean awaited;

		private Builder() {
		}

		/**
		 * Set the share of failed calls at which the breaker opens.
		 * @param failureRate above 0 and at most 1
		 * @return this builder
		 */
		public Builder failureRate(double failureRate) {
			this.failureRate = failureRate;
			return this;
		}

		/**
		 * Set the time a call must exceed to count as slow.
		 * @param slowCall above zero, or null for never
		 * @return this builder
		 */
		public Builder slowCall(@Nullable Duration slowCall) {
			this.slowCall = slowCall;
			return this;
		}

		/**
		 * Set the share of slow calls at which the breaker opens.
		 * @param slowCallRate above 0 and at most 1
		 * @return this builder
		 */
		public Builder slowCallRate(double slowCallRate) {
			this.slowCallRate = slowCallRate;
			return this;
		}

		/**
		 * Set how far back the breaker counts.
		 * @param window a time or a number of calls
		 * @return this builder
		 */
		public Builder window(WindowLength window) {
			this.window = window;
			return this;
		}

		/**
		 * Set how many calls the window must hold before the breaker opens.
		 * @param minimumCalls 1 or more
		 * @return this builder
		 */
		public Builder minimumCalls(int minimumCalls) {
			this.minimumCalls = minimumCalls;
			return this;
		}

		/**
		 * Set the longest time that the breaker stays open before it probes.
		 * @param openFor above zero
		 * @return this builder
		 */
		public Builder openFor(Duration openFor) {
			this.openFor = openFor;
			return this;
		}

		/**
		 * Set the factor by which the time open grows each time the probes fail.
		 * @param openForMultiplier a finite number, 1 or more
		 * @return this builder
		 */
		public Builder openForMultiplier(double openForMultiplier) {
			this.openForMultiplier = openForMultiplier;
			return this;
		}

		/**
		 * Set how many calls the breaker permits while it is half-open.
		 * @param probes 1 or more
		 * @return this builder
		 */
		public Builder probes(int probes) {
			this.probes = probes;
			return this;
		}

		/**
		 * Set how long the probes may take before the breaker opens again.
		 * @param halfOpenTimeout above zero, or null for {@code openFor}
		 * @return this builder
		 */
		public Builder halfOpenTimeout(@Nullable Duration halfOpenTimeout) {
			this.halfOpenTimeout = halfOpenTimeout;
			return this;
		}

		/**
		 * Set whether refused calls wait instead of failing.
		 * @param awaited false by default
		 * @return this builder
		 */
		public Builder awaited(boolean awaited) {
			this.awaited = awaited;
			return this;
		}

		/**
		 * Build the settings.
		 * @return the settings
		 * @throws IllegalArgumentException if a number is out of its range, or a window
		 * over a number of calls holds fewer than the minimum
		 */
		public BreakerSettings build() {
			return new BreakerSettings(this.failureRate, this.slowCall, this.slowCallRate, this.window,
					this.minimumCalls, this.openFor, this.openForMultiplier, this.probes,
					(this.halfOpenTimeout != null) ? this.halfOpenTimeout : this.openFor, this.awaited);
		}

	}

}
