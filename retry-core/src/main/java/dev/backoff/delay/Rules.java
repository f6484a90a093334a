package dev.backoff.delay;

/** Check the arguments of shapes, rules and plans. */
final class Rules {

	private Rules() {
	}

	static double multiplier(double value) {
		if (!(value >= 1) || Double.isInfinite(value)) {
			throw new IllegalArgumentException(
					"Invalid multiplier (" + value + "): must be a finite number of at least 1.");
		}
		return value;
	}

	static int retry(int retry) {
		if (retry < 1) {
			throw new IllegalArgumentException("Invalid retry (" + retry + "): must be 1 or more.");
		}
		return retry;
	}

}
