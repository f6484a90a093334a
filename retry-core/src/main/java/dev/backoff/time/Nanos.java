package dev.backoff.time;

import java.time.Duration;

/**
 * Nanoseconds as {@code long}, with arithmetic that saturates at {@link Long#MAX_VALUE}
 * (292 years) instead of overflowing.
 *
 * @since 0.1
 */
public final class Nanos {

	/** The longest time, which stands for "no limit": {@value} ns. */
	public static final long UNLIMITED = Long.MAX_VALUE;

	private Nanos() {
	}

	/**
	 * Return the given duration in nanoseconds.
	 * @param duration any duration
	 * @return its nanoseconds, saturated; negative for a negative duration
	 */
	public static long of(Duration duration) {
		try {
			return duration.toNanos();
		}
		catch (ArithmeticException ex) {
			return duration.isNegative() ? -Long.MAX_VALUE : Long.MAX_VALUE;
		}
	}

	/**
	 * Check that an option is above zero.
	 * @param option its name, for the message
	 * @param value its value
	 * @return the value in nanoseconds, saturated
	 * @throws IllegalArgumentException if it is zero or negative
	 */
	public static long aboveZero(String option, Duration value) {
		if (value.isNegative() || value.isZero()) {
			throw new IllegalArgumentException(
					"Invalid " + option + " (" + DurationText.exact(value) + "): must be above zero.");
		}
		return of(value);
	}

	/**
	 * Check that an option is not negative.
	 * @param option its name, for the message
	 * @param value its value
	 * @return the value in nanoseconds, saturated
	 * @throws IllegalArgumentException if it is negative
	 */
	public static long notNegative(String option, Duration value) {
		if (value.isNegative()) {
			throw new IllegalArgumentException(
					"Invalid " + option + " (" + DurationText.exact(value) + "): must not be negative.");
		}
		return of(value);
	}

	/**
	 * Add two times that are not negative.
	 * @param a nanoseconds, zero or more
	 * @param b nanoseconds, zero or more
	 * @return the sum, saturated
	 */
	public static long plus(long a, long b) {
		long sum = a + b;
		return (sum < 0) ? Long.MAX_VALUE : sum;
	}

	/**
	 * Multiply a time that is not negative.
	 * @param nanos nanoseconds, zero or more
	 * @param factor zero or more
	 * @return the product, saturated
	 */
	public static long times(long nanos, long factor) {
		long high = Math.multiplyHigh(nanos, factor);
		long low = nanos * factor;
		return (high != 0 || low < 0) ? Long.MAX_VALUE : low;
	}

}
