package dev.backoff.delay;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/** Longer by a factor each time. */
final class ExponentialShape implements Shape {

	/*
	 * The first delays come from a table that decimal arithmetic fills once, from the
	 * multiplier as it is written (1.1, not the binary number next to it): exact to the
	 * nanosecond, and a retry costs an array access instead of a power. With a multiplier
	 * of 1.5 or more the table reaches the end of the long range, so that nothing beyond
	 * it is ever computed. For smaller ones, delays past the table come from Math.pow,
	 * whose relative error of 2^-52 is below what the table rounds; the last table entry
	 * is their floor, so that the sequence never decreases.
	 */
	private static final int TABLE = 112;

	private static final MathContext PRECISION = MathContext.DECIMAL128;

	private static final BigDecimal LONGEST = BigDecimal.valueOf(Long.MAX_VALUE);

	private final long base;

	private final double multiplier;

	private final long[] table;

	ExponentialShape(long base, double multiplier) {
		this.base = base;
		this.multiplier = multiplier;
		this.table = table(base, multiplier);
	}

	private static long[] table(long base, double multiplier) {
		long[] table = new long[TABLE];
		BigDecimal factor = new BigDecimal(Double.toString(multiplier));
		BigDecimal delay = BigDecimal.valueOf(base);
		for (int i = 0; i < table.length; i++) {
			boolean longest = delay.compareTo(LONGEST) >= 0;
			table[i] = longest ? Long.MAX_VALUE : delay.setScale(0, RoundingMode.HALF_UP).longValue();
			delay = longest ? delay : delay.multiply(factor, PRECISION);
		}
		return table;
	}

	@Override
	public long nanos(int retry) {
		int index = Rules.retry(retry) - 1;
		if (index < TABLE) {
			return this.table[index];
		}
		long last = this.table[TABLE - 1];
		if (last == Long.MAX_VALUE || this.base == 0) {
			return last;
		}
		// a cast from double to long saturates
		return Math.max(last, (long) (this.base * Math.pow(this.multiplier, index)));
	}

	@Override
	public Shape withBaseAtLeast(Duration floor) {
		return new ExponentialShape(Math.max(this.base, Nanos.of(floor)), this.multiplier);
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof ExponentialShape that && this.base == that.base && this.multiplier == that.multiplier;
	}

	@Override
	public int hashCode() {
		return 31 * Long.hashCode(this.base) + Double.hashCode(this.multiplier);
	}

	@Override
	public String toString() {
		BigDecimal factor = new BigDecimal(Double.toString(this.multiplier)).stripTrailingZeros();
		return "exponential " + DurationText.exact(this.base) + " ×" + factor.toPlainString();
	}

}
