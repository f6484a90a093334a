package dev.backoff.budget;

/**
 * How many calls have retried after a timeout only to time out again, as one number. A
 * strike is forty fortieths: a success takes one fortieth away, and ten minutes after the
 * last strike take a whole one. More than one strike bars retries after timeouts.
 */
final class Strikes {

	/*
	 * The last seven bits are the fortieths that are left. The others are the reading of
	 * the clock at the last strike, so it is exact to 128 ns and compared by difference.
	 * Thus one compare-and-set makes each change, and only strikes need the clock.
	 */
	private static final long LEFT = 127;

	static final int STRIKE = 40;

	private static final int MOST = 2 * STRIKE;

	/* A multiple of 128, in nanoseconds. */
	private static final long FADING = 600_000_000_000L;

	private Strikes() {
	}

	/** Return how many fortieths are left. */
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
