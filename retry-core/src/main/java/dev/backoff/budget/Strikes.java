package dev.backoff.budget;

/** How many calls have timed out again in a retry after a timeout. */
final class Strikes {

	/*
	 * One number, so that one compare-and-set makes each change: in the last seven bits
	 * the fortieths that are left, and in the others the clock at the last strike.
	 */
	private static final long LEFT = 127;

	static final int STRIKE = 40;

	private static final int MOST = 2 * STRIKE;

	private static final long FADING = 600_000_000_000L;

	private Strikes() {
	}

	static int left(long strikes) {
		return (int) (strikes & LEFT);
	}

	static boolean isBarring(long strikes) {
		return left(strikes) > STRIKE;
	}

	static long afterSuccess(long strikes) {
		return (left(strikes) > 0) ? strikes - 1 : strikes;
	}

	static long afterStrike(long strikes, long now) {
		return (now & ~LEFT) | Math.min(MOST, left(faded(strikes, now)) + STRIKE);
	}

	/** Return what is left now, without one strike for each ten minutes that passed. */
	static long faded(long strikes, long now) {
		long at = strikes & ~LEFT;
		long faded = Math.max(0, now - at) / FADING;
		return (at + faded * FADING) | Math.max(0, left(strikes) - faded * STRIKE);
	}

}
