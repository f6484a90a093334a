package dev.backoff.delay;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Arrays;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/** Longer by a factor each time. */
final class ExponentialShape implements Shape {

	/*
	 * The first delays come from a table that decimal arithmetic fills once, from the
	 * multiplier as it is written (1.1, not the binary number next to it). It is exact to
	 * the nanosecond, and a retry costs an array access instead of a power. The table
	 * ends with the first delay beyond the long range, which a multiplier of 1.5 or more
	 * always reaches. For smaller multipliers, delays past the table come from Math.pow,
	 * whose relative error of 2^-52 is below the rounding of the table. The last entry is
	 * their floor, so that the sequence never decreases.
	 *
	 * A whole multiplier needs no decimal arithmetic, which saves time at start-up, since
	 * an application makes several tables for each of its methods.
	 */
	private static final int TABLE = 112;

	/* Up to here a double holds every whole number. */
	private static final double MOST_WHOLE = 1L << 53;

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
		boolean whole = multiplier <= MOST_WHOLE && multiplier == Math.rint(multiplier);
		BigDecimal factor = new BigDecimal(Double.toString(multiplier));
		BigDecimal exact = BigDecimal.valueOf(base);
		long[] table = new long[TABLE];
		table[0] = base;
		int filled = 1;
		while (filled < TABLE && table[filled - 1] != Long.MAX_VALUE) {
			if (whole) {
				table[filled] = Nanos.times(table[filled - 1], (long) multiplier);
			}
			else {
				exact = exact.multiply(factor, PRECISION);
				boolean longest = exact.compareTo(LONGEST) >= 0;
				table[filled] = longest ? Long.MAX_VALUE : exact.setScale(0, RoundingMode.HALF_UP).longValue();
			}
			filled++;
		}
		return Arrays.copyOf(table, filled);
	}

	@Override
	public long nanos(int retry) {
		int index = Rules.retry(retry) - 1;
		if (index < this.table.length) {
			return this.table[index];
		}
		long last = this.table[this.table.length - 1];
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
