package dev.backoff.delay;

import dev.backoff.time.Nanos;

/** Draw numbers that no rounding takes out of their range. */
final class Uniform {

	private Uniform() {
	}

	/** Return the draw in [low, high]. */
	static long between(long low, long high, double u) {
		return Math.min(high, Nanos.plus(low, (long) (u * (high - low))));
	}

	/** Return the given share, from 0 to 1, of a delay. */
	static long share(double share, long delay) {
		return Math.min(delay, (long) (share * delay));
	}

}
