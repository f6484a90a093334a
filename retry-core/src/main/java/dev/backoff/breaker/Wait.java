package dev.backoff.breaker;

/**
 * A time that runs down from a reading on. A ticker that stepped back before that reading
 * starts it anew, so that a broken clock makes it last once more at worst, not for ever.
 */
final class Wait {

	private final long nanos;

	private volatile long start;

	Wait(long start, long nanos) {
		this.start = start;
		this.nanos = nanos;
	}

	/** Return the nanoseconds since the start, zero or more. */
	long elapsed(long now) {
		long elapsed = now - this.start;
		if (elapsed < 0) {
			this.start = now;
			return 0;
		}
		return elapsed;
	}

	/** Return the nanoseconds left, zero or more. */
	long left(long now) {
		return Math.max(0, this.nanos - elapsed(now));
	}

	boolean isOver(long now) {
		return left(now) == 0;
	}

}
