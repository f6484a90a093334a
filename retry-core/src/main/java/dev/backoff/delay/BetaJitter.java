package dev.backoff.delay;

/**
 * A part of the delay drawn from Beta(2, 2), confined to (from, to).
 * <p>
 * The distribution function is F(x) = 3x² - 2x³, and its inverse has the closed form
 * {@code 0.5 - sin(asin(1 - 2u) / 3)}: with x = 0.5 - s, F(x) = u turns into 3s - 4s³ = 1
 * - 2u, which is the triple-angle formula of the sine. Confining to (a, b) takes u from
 * [F(a), F(b)).
 */
final class BetaJitter implements Jitter {

	private final double from;

	private final double to;

	private final double least;

	private final double spread;

	BetaJitter(double from, double to) {
		if (!(from >= 0 && to <= 1 && from < to)) {
			throw new IllegalArgumentException(
					"Invalid jitter (beta " + from + ".." + to + "): must be a part of 0..1, the lower end first.");
		}
		this.from = from;
		this.to = to;
		this.least = distribution(from);
		this.spread = distribution(to) - this.least;
	}

	private static double distribution(double x) {
		return x * x * (3 - 2 * x);
	}

	@Override
	public long apply(long delay, long previous, long base, long cap, double u) {
		double x = 0.5 - Math.sin(Math.asin(1 - 2 * (this.least + this.spread * u)) / 3);
		return Uniform.share(Math.min(this.to, Math.max(this.from, x)), delay);
	}

	@Override
	public double mean(long delay, long previous, long base, long cap) {
		// the integral of x·6x(1-x) over (from, to), divided by its weight
		double moment = moment(this.to) - moment(this.from);
		return delay * (moment / this.spread);
	}

	private static double moment(double x) {
		return x * x * x * (2 - 1.5 * x);
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof BetaJitter that && this.from == that.from && this.to == that.to;
	}

	@Override
	public int hashCode() {
		return 31 * Double.hashCode(this.from) + Double.hashCode(this.to);
	}

	@Override
	public String toString() {
		return (this.from == 0 && this.to == 1) ? "beta" : "beta " + this.from + ".." + this.to;
	}

}
