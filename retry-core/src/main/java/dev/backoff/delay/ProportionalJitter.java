package dev.backoff.delay;

import java.math.BigDecimal;

import dev.backoff.time.Nanos;

/** A share to both sides, drawn below the cap. */
record ProportionalJitter(double share) implements Jitter {

	ProportionalJitter {
		if (!(share > 0 && share <= 1)) {
			throw new IllegalArgumentException(
					"Invalid jitter (" + share + "): must be above 0 and at most 1 (0% to 100%).");
		}
	}

	@Override
	public long apply(long delay, long previous, long base, long cap, double u) {
		long reach = Uniform.share(this.share, delay);
		return Uniform.between(delay - reach, Math.min(cap, Nanos.plus(delay, reach)), u);
	}

	@Override
	public String toString() {
		BigDecimal percent = new BigDecimal(Double.toString(this.share)).movePointRight(2).stripTrailingZeros();
		return percent.toPlainString() + "%";
	}

}
