package dev.backoff.delay;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A part of the delay drawn from Beta(2, 2), confined to (from, to): the inverse of the
 * distribution function F(x) = 3x² - 2x³ at one draw. Confining to (a, b) takes the draw
 * from [F(a), F(b)).
 */
record BetaJitter(double from, double to) implements Jitter {

	/*
	 * The inverse has a closed form, 0.5 - sin(asin(1 - 2u) / 3), but an arc sine takes
	 * up to half a microsecond, longer than all other steps of a delay. F is symmetric,
	 * so the half below 0.5 is enough. There x = y / √(1 - 2x/3) with y = √(u/3). A
	 * polynomial in y is right to 0.0002, and each of two steps by Newton's method about
	 * squares that error, down to the precision of a double.
	 */

	private static final Pattern TEXT = Pattern.compile("beta(?:\\s+([\\d.]+?)\\.\\.([\\d.]+))?");

	BetaJitter {
		if (!(from >= 0 && to <= 1 && from < to)) {
			throw new IllegalArgumentException(
					"Invalid jitter (beta " + from + ".." + to + "): must be a part of 0..1, the lower end first.");
		}
	}

	/** Read {@code beta} or {@code beta a..b}, or return null for another text. */
	static @Nullable BetaJitter parse(String text) {
		Matcher part = TEXT.matcher(text);
		if (!part.matches()) {
			return null;
		}
		if (part.group(1) == null) {
			return new BetaJitter(0, 1);
		}
		try {
			return new BetaJitter(Double.parseDouble(part.group(1)), Double.parseDouble(part.group(2)));
		}
		catch (IllegalArgumentException ex) {
			throw new UnreadableException(text, "must be a part of 0..1, the lower end first",
					"Write a part such as beta 0.3..0.7.");
		}
	}

	private static double distribution(double x) {
		return x * x * (3 - 2 * x);
	}

	@Override
	public long apply(long delay, long base, long cap, double u) {
		double least = distribution(this.from);
		double x = inverse(least + (distribution(this.to) - least) * u);
		return Uniform.share(Math.min(this.to, Math.max(this.from, x)), delay);
	}

	/** Return where the distribution function has the given value. */
	static double inverse(double u) {
		return (u <= 0.5) ? lowerInverse(u) : 1 - lowerInverse(1 - u);
	}

	private static double lowerInverse(double u) {
		double y = Math.sqrt(u / 3);
		if (!(y > 0)) {
			return 0;
		}
		double x = y * (1.0001 + y * (0.3247 + y * (0.4362 + y * (2.2753 * y - 0.6463))));
		return closer(closer(x, u), u);
	}

	private static double closer(double x, double u) {
		return (x * x * (3 - 4 * x) + u) / (6 * x * (1 - x));
	}

	@Override
	public double mean(long delay, long base, long cap) {
		// the integral of x·6x(1-x) over (from, to), divided by its weight
		double moment = moment(this.to) - moment(this.from);
		return delay * (moment / (distribution(this.to) - distribution(this.from)));
	}

	private static double moment(double x) {
		return x * x * x * (2 - 1.5 * x);
	}

	@Override
	public String toString() {
		return (this.from == 0 && this.to == 1) ? "beta" : "beta " + this.from + ".." + this.to;
	}

}
