package dev.backoff.delay;

import java.time.Duration;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * The rule that yields delays: a shape, then a cap, then jitter, in this order.
 * <p>
 * The delays with the defaults (exponential from 100 ms ×2, cap 10 s, full jitter): <pre>
 * retry  delay drawn from
 *  1     0 .. 100 ms
 *  2     0 .. 200 ms
 *  3     0 .. 400 ms
 *  4     0 .. 800 ms
 *  5     0 .. 1.6 s
 *  6     0 .. 3.2 s
 *  7     0 .. 6.4 s
 *  8     0 .. 10 s
 *  9     0 .. 10 s
 * 10     0 .. 10 s
 * </pre> Immutable and thread-safe: the previous delay is passed as an argument.
 *
 * @param shape the delays before the cap
 * @param capNanos the longest delay, in nanoseconds; {@link Nanos#UNLIMITED} for no cap
 * @param jitter how chance spreads the capped delay
 * @since 0.1
 */
public record BackoffRule(Shape shape, long capNanos, Jitter jitter) {

	private static final long SHORTEST_BUILT_IN_CAP = Duration.ofSeconds(10).toNanos();

	private static final long BASES_IN_BUILT_IN_CAP = 100;

	/**
	 * Check the rule.
	 * @param shape the delays before the cap
	 * @param capNanos the longest delay
	 * @param jitter how chance spreads the capped delay
	 * @throws IllegalArgumentException if the cap is below the base, or below twice the
	 * base with {@link Jitter#decorrelated()}, or if that jitter is used with a ladder
	 */
	public BackoffRule {
		boolean ladder = shape.levels() > 0;
		long base = shape.baseNanos();
		if (!ladder && capNanos < base) {
			throw new IllegalArgumentException("Invalid cap (" + DurationText.exact(capNanos)
					+ "): must not be below the base (" + DurationText.exact(base) + ").");
		}
		if (jitter.replacesShape() && ladder) {
			throw new IllegalArgumentException(
					"Invalid jitter (decorrelated): grows from a base, which a ladder lacks.");
		}
		if (jitter.replacesShape() && capNanos < Nanos.times(base, 2)) {
			throw new IllegalArgumentException("Invalid cap (" + DurationText.exact(capNanos)
					+ "): must be at least twice the base (" + DurationText.exact(base) + ") for decorrelated jitter.");
		}
	}

	/**
	 * Make a rule.
	 * @param shape the delays before the cap
	 * @param cap the longest delay, not below the base; {@link Nanos#UNLIMITED}
	 * nanoseconds for none
	 * @param jitter how chance spreads the capped delay
	 * @return the rule
	 * @throws IllegalArgumentException if the cap is negative, or does not suit the shape
	 * or the jitter
	 */
	public static BackoffRule of(Shape shape, Duration cap, Jitter jitter) {
		return new BackoffRule(shape, Nanos.notNegative("cap", cap), jitter);
	}

	/**
	 * Return the cap that applies if none is set: 10 s, or 100 times the base if that is
	 * longer. A longer base therefore has room to grow, and the delays of a base of 1 ms
	 * grow beyond 100 ms.
	 * @param shape the delays before the cap
	 * @return nanoseconds; {@link Nanos#UNLIMITED} for a ladder, which has no cap
	 */
	public static long builtInCap(Shape shape) {
		return (shape.levels() > 0) ? Nanos.UNLIMITED : builtInCap(shape.baseNanos());
	}

	static long builtInCap(long base) {
		return Math.max(SHORTEST_BUILT_IN_CAP, Nanos.times(base, BASES_IN_BUILT_IN_CAP));
	}

	/**
	 * Return the delay before the given retry.
	 * @param retry the retry, counted from 1
	 * @param previous the delay before the previous retry, in nanoseconds; ignored for
	 * the first retry
	 * @param random the source of chance, drawn from once, or not at all without jitter
	 * @return nanoseconds, from 0 to the cap
	 * @throws IllegalArgumentException if the retry is below 1
	 */
	public long delay(int retry, long previous, RandomSource random) {
		return this.jitter.apply(unspread(retry, previous), baseNanos(), this.capNanos,
				(this.jitter != NamedJitter.NONE) ? random.next() : 0);
	}

	/**
	 * Return what the jitter spreads: only decorrelated jitter needs the delay before.
	 */
	long unspread(int retry, long previous) {
		long delay = capped(retry);
		return !this.jitter.replacesShape() ? delay
				: Math.min(this.capNanos, Nanos.times((retry == 1) ? baseNanos() : previous, 3));
	}

	/**
	 * Return the delay before the given retry without jitter.
	 * @param retry the retry, counted from 1
	 * @return nanoseconds, from 0 to the cap
	 * @throws IllegalArgumentException if the retry is below 1
	 */
	public long capped(int retry) {
		if (retry < 1) {
			throw new IllegalArgumentException("Invalid retry (" + retry + "): must be 1 or more.");
		}
		return Math.min(this.capNanos, this.shape.nanos(retry));
	}

	/**
	 * Return this rule with its base raised to the given one, but not above the cap, or
	 * half of the cap with decorrelated jitter.
	 * @param floor the least base
	 * @return this rule, or a copy with the longer base
	 */
	public BackoffRule withBaseAtLeast(Duration floor) {
		long most = this.jitter.replacesShape() ? this.capNanos / 2 : this.capNanos;
		long raised = Math.min(Nanos.of(floor), most);
		return (this.shape.levels() == 0 && raised <= baseNanos()) ? this
				: new BackoffRule(this.shape.withBaseAtLeast(Duration.ofNanos(raised)), this.capNanos, this.jitter);
	}

	/**
	 * {@return the delay of the shape before the first retry; nanoseconds, zero or more}
	 */
	public long baseNanos() {
		return this.shape.baseNanos();
	}

	@Override
	public String toString() {
		String limit = (this.capNanos == Nanos.UNLIMITED) ? "no cap" : "cap " + DurationText.exact(this.capNanos);
		return this.shape + ", " + limit + ", jitter " + this.jitter;
	}

}
