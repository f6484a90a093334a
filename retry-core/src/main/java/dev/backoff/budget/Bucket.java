package dev.backoff.budget;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * The numbers of a budget in millionths of a token, and what it holds under them.
 * Lock-free and thread-safe.
 */
final class Bucket {

	/*
	 * One number is the whole state, so that one compare-and-set makes each change exact.
	 * Its meaning depends on the settings, so it stands beside them. When they change,
	 * the state is closed, which fails every later compare-and-set, and the balance goes
	 * over to another bucket.
	 *
	 * Let T be what time has put back since the start, in millionths of a token, as if
	 * the bucket had no rim. The state S is chosen so that the balance is T - S: time
	 * needs no writes, a withdrawal adds to S, a deposit subtracts. Each write of S
	 * raises it to T - capacity at least, which takes out what has flowed over the rim.
	 *
	 * A full bucket stays full until the next withdrawal. The lowest bit says so without
	 * T, so that a success then needs no clock reading. The other bits are S as it was
	 * when the bucket became full. Otherwise a withdrawal with an old reading of the
	 * clock could succeed after others have emptied and filled the bucket, and time would
	 * count twice.
	 *
	 * T is exact: it wraps around like a ticker and is only compared by difference.
	 */
	static final long CLOSED = Long.MIN_VALUE;

	/* One token: the price of a retry. */
	static final long MICRO = 1_000_000;

	private static final long NANOS_PER_SECOND = 1_000_000_000;

	private static final AtomicLongFieldUpdater<Bucket> STATE = AtomicLongFieldUpdater.newUpdater(Bucket.class,
			"state");

	final BudgetSettings settings;

	final long capacity;

	final long perSuccess;

	final long perSecond;

	/* Half of the capacity, and enough for a retry, or it would run dry again at once. */
	final long recoveredAt;

	private final long start;

	private volatile long state;

	/** Begin at a reading with a balance, or with the capacity if that is less. */
	Bucket(BudgetSettings settings, long now, long balance) {
		this.settings = settings;
		this.capacity = micros(settings.tokens());
		this.perSuccess = micros(settings.perSuccess());
		this.perSecond = micros(settings.perSecond());
		this.recoveredAt = Math.max(this.capacity / 2, MICRO);
		this.start = now;
		// no debt where the clock stepped back: time might never pay it
		this.state = after(0, Math.max(0, balance));
	}

	private static long micros(double tokens) {
		return Math.round(tokens * MICRO);
	}

	long state() {
		return this.state;
	}

	boolean compareAndSet(long expected, long state) {
		return STATE.compareAndSet(this, expected, state);
	}

	/** Return the state under which a balance is left, or a full bucket. */
	long after(long brought, long balance) {
		boolean full = balance >= this.capacity;
		long state = (brought - (full ? this.capacity : balance)) << 1;
		// CLOSED never stands for a balance
		return ((state == CLOSED) ? state + 2 : state) | (full ? 1 : 0);
	}

	static boolean isFull(long state) {
		return (state & 1) != 0;
	}

	/** Return what time has put back since the start. */
	long brought(long now) {
		long elapsed = Math.max(0, now - this.start);
		long seconds = elapsed / NANOS_PER_SECOND;
		long micros = (elapsed % NANOS_PER_SECOND) / 1_000;
		return seconds * this.perSecond + micros * this.perSecond / MICRO;
	}

	long balance(long state, long brought) {
		// negative if the clock stepped back: then there is nothing to take
		return isFull(state) ? this.capacity : Math.min(this.capacity, ((brought << 1) - state) >> 1);
	}

}
