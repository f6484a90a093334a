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

	private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

	/* A constant, since durations negate by way of decimal numbers. */
	private static final Duration LONGEST_NEGATED = LONGEST.negated();

	private Nanos() {
	}

	/**
	 * Return the given duration in nanoseconds.
	 * @param duration any duration
	 * @return its nanoseconds, saturated; negative for a negative duration
	 */
	public static long of(Duration duration) {
		if (duration.compareTo(LONGEST) >= 0) {
			return Long.MAX_VALUE;
		}
		if (duration.compareTo(LONGEST_NEGATED) <= 0) {
			return -Long.MAX_VALUE;
		}
		return duration.toNanos();
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
