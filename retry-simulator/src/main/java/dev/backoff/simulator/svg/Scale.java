package dev.backoff.simulator.svg;

import java.util.stream.DoubleStream;

/** Where a value goes on an axis. */
record Scale(double least, double greatest, double from, double to, boolean logarithmic) {

	static Scale linear(double least, double greatest, double from, double to) {
		return new Scale(least, greatest, from, to, false);
	}

	/** Start at 1; less is drawn there. */
	static Scale logarithmic(double greatest, double from, double to) {
		return new Scale(1, greatest, from, to, true);
	}

	double at(double value) {
		double share = this.logarithmic ? Math.log10(Math.max(1, value)) / Math.log10(this.greatest)
				: (value - this.least) / (this.greatest - this.least);
		return this.from + share * (this.to - this.from);
	}

	/** Return round values within the scale, about so many. */
	double[] ticks(int count) {
		if (this.logarithmic) {
			return DoubleStream.iterate(1, (tick) -> tick <= this.greatest, (tick) -> 10 * tick).toArray();
		}
		double step = step((this.greatest - this.least) / count);
		double first = Math.ceil(this.least / step) * step;
		return DoubleStream.iterate(first, (tick) -> tick <= this.greatest, (tick) -> tick + step).toArray();
	}

	/** Return the least of 1, 2, 5, 10, … that is not below the given width. */
	private static double step(double width) {
		double magnitude = Math.pow(10, Math.floor(Math.log10(width)));
		for (double factor : new double[] { 1, 2, 5 }) {
			if (factor * magnitude >= width) {
				return factor * magnitude;
			}
		}
		return 10 * magnitude;
	}

}
