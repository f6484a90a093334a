package dev.backoff.breaker;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.DurationText;
import dev.backoff.window.WindowLength;

/**
 * The numbers of a circuit breaker: when it opens, for how long, and how it finds out
 * whether it may close. Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class BreakerSettings {

	/** The longest time open by default however much it grows: 1 h. */
	static final Duration LONGEST_OPEN = Duration.ofHours(1);

	/** The numbers unless set. */
	public static final BreakerSettings DEFAULTS = builder().build();

	private final double failureRate;

	private final @Nullable Duration slowCall;

	private final double slowCallRate;

	private final WindowLength window;

	private final int minimumCalls;

	private final Duration openFor;

	private final double openForMultiplier;

	private final int probes;

	private final Duration halfOpenTimeout;

	private final boolean awaited;

	private BreakerSettings(Builder builder) {
		this.failureRate = builder.failureRate;
		this.slowCall = builder.slowCall;
		this.slowCallRate = builder.slowCallRate;
		this.window = builder.window;
		this.minimumCalls = builder.minimumCalls;
		this.openFor = builder.openFor;
		this.openForMultiplier = builder.openForMultiplier;
		this.probes = builder.probes;
		this.halfOpenTimeout = (builder.halfOpenTimeout != null) ? builder.halfOpenTimeout : builder.openFor;
		this.awaited = builder.awaited;
		if (this.window.time() == null && this.window.calls() < this.minimumCalls) {
			throw new IllegalArgumentException("Invalid window (" + this.window
					+ "): must not be below the minimumCalls (" + this.minimumCalls + "), or it never opens.");
		}
	}

	/**
	 * Start from the defaults.
	 * @return a builder, which may build more than once
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * {@return the share of failed calls from which on it opens; above 0 and at most 1;
	 * 0.5 by default}
	 */
	public double failureRate() {
		return this.failureRate;
	}

	/**
	 * {@return what a call must exceed to count as slow, or null if no call counts as
	 * slow, the default}
	 */
	public @Nullable Duration slowCall() {
		return this.slowCall;
	}

	/**
	 * {@return the share of slow calls from which on it opens; above 0 and at most 1; 0.8
	 * by default}
	 */
	public double slowCallRate() {
		return this.slowCallRate;
	}

	/**
	 * {@return how far back it counts; a time or a number of calls; 30 s by default}
	 */
	public WindowLength window() {
		return this.window;
	}

	/**
	 * {@return how many calls the window must hold before it opens; 1 or more; 20 by
	 * default}
	 */
	public int minimumCalls() {
		return this.minimumCalls;
	}

	/**
	 * Return how long it stays open at most before it probes; each time is drawn from
	 * half of it to all of it, so that instances do not probe together.
	 * @return above zero; 30 s by default
	 */
	public Duration openFor() {
		return this.openFor;
	}

	/**
	 * {@return by how much the time open grows each time its probes fail, up to 1 h or
	 * {@link #openFor()} if that is longer; 1 or more; 1 by default}
	 */
	public double openForMultiplier() {
		return this.openForMultiplier;
	}

	/**
	 * {@return how many calls it lets through half-open; 1 or more; 3 by default}
	 */
	public int probes() {
		return this.probes;
	}

	/**
	 * Return how long its probes may take before it opens again. The time runs while some
	 * are under way, so that probes far apart are none too late.
	 * @return above zero; {@link #openFor()} by default
	 */
	public Duration halfOpenTimeout() {
		return this.halfOpenTimeout;
	}

	/**
	 * {@return whether calls that are refused wait instead of failing; false by default}
	 */
	public boolean isAwaited() {
		return this.awaited;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof BreakerSettings that && Double.compare(this.failureRate, that.failureRate) == 0
				&& Objects.equals(this.slowCall, that.slowCall)
				&& Double.compare(this.slowCallRate, that.slowCallRate) == 0 && this.window.equals(that.window)
				&& this.minimumCalls == that.minimumCalls && this.openFor.equals(that.openFor)
				&& Double.compare(this.openForMultiplier, that.openForMultiplier) == 0 && this.probes == that.probes
				&& this.halfOpenTimeout.equals(that.halfOpenTimeout) && this.awaited == that.awaited;
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.failureRate, this.slowCall, this.slowCallRate, this.window, this.minimumCalls,
				this.openFor, this.openForMultiplier, this.probes, this.halfOpenTimeout, this.awaited);
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
	 * Collect the numbers. Not thread-safe; may build more than once.
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
		 * Set the share of failed calls from which on it opens.
		 * @param failureRate above 0 and at most 1
		 * @return this builder
		 * @throws IllegalArgumentException if the share is out of its range
		 */
		public Builder failureRate(double failureRate) {
			this.failureRate = share("failureRate", failureRate);
			return this;
		}

		/**
		 * Set what a call must exceed to count as slow.
		 * @param slowCall above zero, or null for never
		 * @return this builder
		 * @throws IllegalArgumentException if the time is zero or negative
		 */
		public Builder slowCall(@Nullable Duration slowCall) {
			this.slowCall = (slowCall != null) ? positive("slowCall", slowCall) : null;
			return this;
		}

		/**
		 * Set the share of slow calls from which on it opens.
		 * @param slowCallRate above 0 and at most 1
		 * @return this builder
		 * @throws IllegalArgumentException if the share is out of its range
		 */
		public Builder slowCallRate(double slowCallRate) {
			this.slowCallRate = share("slowCallRate", slowCallRate);
			return this;
		}

		/**
		 * Set how far back it counts.
		 * @param window a time or a number of calls
		 * @return this builder
		 */
		public Builder window(WindowLength window) {
			this.window = window;
			return this;
		}

		/**
		 * Set how many calls the window must hold before it opens.
		 * @param minimumCalls 1 or more
		 * @return this builder
		 * @throws IllegalArgumentException if the number is below 1
		 */
		public Builder minimumCalls(int minimumCalls) {
			this.minimumCalls = oneOrMore("minimumCalls", minimumCalls);
			return this;
		}

		/**
		 * Set how long it stays open at most before it probes.
		 * @param openFor above zero
		 * @return this builder
		 * @throws IllegalArgumentException if the time is zero or negative
		 */
		public Builder openFor(Duration openFor) {
			this.openFor = positive("openFor", openFor);
			return this;
		}

		/**
		 * Set by how much the time open grows each time its probes fail.
		 * @param openForMultiplier a finite number, 1 or more
		 * @return this builder
		 * @throws IllegalArgumentException if the number is out of its range
		 */
		public Builder openForMultiplier(double openForMultiplier) {
			if (!(openForMultiplier >= 1 && openForMultiplier < Double.POSITIVE_INFINITY)) {
				throw new IllegalArgumentException("Invalid openForMultiplier (" + openForMultiplier
						+ "): must be a finite number of at least 1.");
			}
			this.openForMultiplier = openForMultiplier;
			return this;
		}

		/**
		 * Set how many calls it lets through half-open.
		 * @param probes 1 or more
		 * @return this builder
		 * @throws IllegalArgumentException if the number is below 1
		 */
		public Builder probes(int probes) {
			this.probes = oneOrMore("probes", probes);
			return this;
		}

		/**
		 * Set how long its probes may take before it opens again.
		 * @param halfOpenTimeout above zero, or null for as long as it is open
		 * @return this builder
		 * @throws IllegalArgumentException if the time is zero or negative
		 */
		public Builder halfOpenTimeout(@Nullable Duration halfOpenTimeout) {
			this.halfOpenTimeout = (halfOpenTimeout != null) ? positive("halfOpenTimeout", halfOpenTimeout) : null;
			return this;
		}

		/**
		 * Set whether calls that are refused wait instead of failing.
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
		 * @throws IllegalArgumentException if a window over a number of calls holds fewer
		 * than the minimum
		 */
		public BreakerSettings build() {
			return new BreakerSettings(this);
		}

		private static double share(String name, double value) {
			if (!(value > 0 && value <= 1)) {
				throw new IllegalArgumentException(
						"Invalid " + name + " (" + value + "): must be above 0 and at most 1.");
			}
			return value;
		}

		private static int oneOrMore(String name, int value) {
			if (value < 1) {
				throw new IllegalArgumentException("Invalid " + name + " (" + value + "): must be 1 or more.");
			}
			return value;
		}

		private static Duration positive(String name, Duration value) {
			if (value.isNegative() || value.isZero()) {
				throw new IllegalArgumentException(
						"Invalid " + name + " (" + DurationText.exact(value) + "): must be above zero.");
			}
			return value;
		}

	}

}
