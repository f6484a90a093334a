package dev.backoff.delay;

import java.math.BigDecimal;
import java.time.Duration;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/** Longer by a factor each time. */
record ExponentialShape(long base, double multiplier) implements Shape {

	ExponentialShape {
		if (!(multiplier >= 1) || Double.isInfinite(multiplier)) {
			throw new IllegalArgumentException(
					"Invalid multiplier (" + multiplier + "): must be a finite number of at least 1.");
		}
	}

	/*
	 * By squares, which is quicker than a power. A double holds 15 digits: beyond some
	 * days, the last nanoseconds are rounded.
	 */
	@Override
	public long nanos(int retry) {
		double factor = 1;
		double square = this.multiplier;
		for (int left = retry - 1; left > 0; left >>= 1) {
			factor *= ((left & 1) != 0) ? square : 1;
			square *= square;
		}
		return (factor == 1) ? this.base : Math.max(this.base, Math.round(this.base * factor));
	}

	@Override
	public Shape withBaseAtLeast(Duration floor) {
		return new ExponentialShape(Math.max(this.base, Nanos.of(floor)), this.multiplier);
	}

	@Override
	public String toString() {
		BigDecimal factor = new BigDecimal(Double.toString(this.multiplier)).stripTrailingZeros();
		return "exponential " + DurationText.exact(this.base) + " ×" + factor.toPlainString();
	}

}
