package dev.backoff.delay;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.Nanos;

/** A share to both sides, drawn below the cap. */
record ProportionalJitter(double share) implements Jitter {

	private static final Pattern TEXT = Pattern.compile("([+-]?\\d+(?:\\.\\d+)?)\\s*%");

	ProportionalJitter {
		if (!isShare(share)) {
			throw new IllegalArgumentException(
					"Invalid jitter (" + share + "): must be above 0 and at most 1 (0% to 100%).");
		}
	}

	private static boolean isShare(double value) {
		return value > 0 && value <= 1;
	}

	/** Read a percentage, or return null for another text. */
	static @Nullable ProportionalJitter parse(String text) {
		Matcher percent = TEXT.matcher(text);
		if (!percent.matches()) {
			return null;
		}
		double share = Double.parseDouble(percent.group(1)) / 100;
		if (!isShare(share)) {
			throw new UnreadableException(text, "must be above 0% and at most 100%",
					"Write a percentage such as 20%, or none.");
		}
		return new ProportionalJitter(share);
	}

	@Override
	public long apply(long delay, long base, long cap, double u) {
		long reach = Uniform.share(this.share, delay);
		return Uniform.between(delay - reach, Math.min(cap, Nanos.plus(delay, reach)), u);
	}

	@Override
	public String toString() {
		BigDecimal percent = new BigDecimal(Double.toString(this.share)).movePointRight(2).stripTrailingZeros();
		return percent.toPlainString() + "%";
	}

}
