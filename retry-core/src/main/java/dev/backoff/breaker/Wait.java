package dev.backoff.breaker;

/**
 * A time that runs down from a reading on. A ticker that steps back before that reading
 * starts it anew, so that a broken clock makes it last once more at worst.
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

	/** Return a wait since the same reading that lasts so many times as long. */
	Wait scaled(double factor, long longest) {
		return lasting(Math.max(1, Math.min(longest, (long) (this.nanos * factor))));
	}

	/** Return a wait since the same reading of the given length. */
	Wait lasting(long nanos) {
		return new Wait(this.start, nanos);
	}

}
