package dev.backoff.simulator;

import java.time.Duration;
import java.util.OptionalDouble;

/**
 * What happened around a fault, counted in tenths of a second. Thread-safe.
 *
 * @since 0.1
 */
public final class Course {

	/** The share of the calls that end in a second that must succeed. */
	static final double BACK = 0.95;

	private static final long BIN = 100_000_000;

	private static final int BINS_PER_SECOND = 10;

	/* How many calls show whether 95 % succeed. */
	private static final double JUDGED_CALLS = 100;

	/* How many bins are judged together. */
	private final int judged;

	private final long faultBegin;

	private final long faultEnd;

	private final int[] firstAttempts;

	private final int[] attempts;

	private final int[] successes;

	private final int[] failures;

	/**
	 * Begin to count.
	 * @param before the time before the fault
	 * @param fault how long it lasts
	 * @param after the time after it
	 */
	public Course(Duration before, Duration fault, Duration after) {
		this(before, fault, after, BINS_PER_SECOND);
	}

	private Course(Duration before, Duration fault, Duration after, int judged) {
		this.judged = judged;
		this.faultBegin = before.toNanos();
		this.faultEnd = before.plus(fault).toNanos();
		int bins = (int) ((this.faultEnd + after.toNanos()) / BIN);
		this.firstAttempts = new int[bins];
		this.attempts = new int[bins];
		this.successes = new int[bins];
		this.failures = new int[bins];
	}

	/**
	 * Begin to count few calls a second. They are judged over as many seconds as about a
	 * hundred of them take, and at most a quarter of the time after the fault.
	 */
	static Course of(Duration before, Duration fault, Duration after, double perSecond) {
		long bins = (long) Math.ceil(JUDGED_CALLS * BINS_PER_SECOND / perSecond);
		long most = after.toNanos() / BIN / 4;
		return new Course(before, fault, after, (int) Math.max(BINS_PER_SECOND, Math.min(bins, most)));
	}

	/**
	 * Count a call that begins.
	 * @param at nanoseconds from the beginning
	 */
	public void firstAttempt(long at) {
		count(this.firstAttempts, at);
	}

	/**
	 * Count an attempt that begins.
	 * @param at nanoseconds from the beginning
	 */
	public void attempt(long at) {
		count(this.attempts, at);
	}

	/**
	 * Count a call that succeeds.
	 * @param at nanoseconds from the beginning
	 */
	public void success(long at) {
		count(this.successes, at);
	}

	/**
	 * Count a call that fails.
	 * @param at nanoseconds from the beginning
	 */
	public void failure(long at) {
		count(this.failures, at);
	}

	private void count(int[] bins, long at) {
		int bin = (int) (at / BIN);
		if (bin < bins.length) {
			synchronized (this) {
				bins[bin]++;
			}
		}
	}

	/**
	 * Return when the server was back: the first moment after the fault from which on, in
	 * every second, at least 95 % of the calls that end succeed. Calls end as often as
	 * they begin, except calls in a backlog, so goodput is then 95 % of the offered load.
	 * A share of the calls that begin would swing with every queue.
	 * @return seconds since the end of the fault, or nothing if it was not back within
	 * the horizon
	 */
	public synchronized OptionalDouble recoverySeconds() {
		int faultEndBin = (int) (this.faultEnd / BIN);
		int last = this.attempts.length - this.judged;
		int back = last + 1;
		while (back > faultEndBin && isBack(back - 1)) {
			back--;
		}
		return (back > last) ? OptionalDouble.empty()
				: OptionalDouble.of((back - faultEndBin) / (double) BINS_PER_SECOND);
	}

	private boolean isBack(int bin) {
		long succeeded = sum(this.successes, bin, bin + this.judged);
		long failed = sum(this.failures, bin, bin + this.judged);
		return succeeded > 0 && succeeded >= BACK * (succeeded + failed);
	}

	/**
	 * Return the load from the beginning of the fault until a second after the server was
	 * back.
	 * @return attempts for each first attempt
	 */
	public synchronized double loadUntilBack() {
		int faultEndBin = (int) (this.faultEnd / BIN);
		int from = (int) (this.faultBegin / BIN);
		OptionalDouble recovery = recoverySeconds();
		int to = recovery.isPresent() ? faultEndBin + (int) ((recovery.getAsDouble() + 1) * BINS_PER_SECOND)
				: this.attempts.length;
		return sum(this.attempts, from, to) / (double) sum(this.firstAttempts, from, to);
	}

	/** Return the second so many before the fault, counted from its end. */
	int firstSecond(int before) {
		return (int) ((this.faultBegin - this.faultEnd) / (BINS_PER_SECOND * BIN)) - before;
	}

	/**
	 * Return whether a second was counted as a whole.
	 * @param second counted from the end of the fault, negative before it
	 * @return whether the second has figures
	 */
	public boolean covers(int second) {
		int from = (int) (this.faultEnd / BIN) + second * BINS_PER_SECOND;
		return from >= 0 && from + BINS_PER_SECOND <= this.attempts.length;
	}

	/**
	 * Return the successes in a second for each first attempt in it.
	 * @param second counted from the end of the fault, negative before it
	 * @return 0 and more; above 1 while a backlog is served
	 */
	public synchronized double goodput(int second) {
		return ratio(this.successes, second);
	}

	/**
	 * Return the attempts in a second for each first attempt in it.
	 * @param second counted from the end of the fault, negative before it
	 * @return about 1, or more
	 */
	public synchronized double load(int second) {
		return ratio(this.attempts, second);
	}

	/** Return the attempts for each first one, in a time from the begin of the fault. */
	synchronized double loadWithin(Duration time) {
		int from = (int) (this.faultBegin / BIN);
		int to = (int) ((this.faultBegin + time.toNanos()) / BIN);
		return sum(this.attempts, from, to) / (double) Math.max(1, sum(this.firstAttempts, from, to));
	}

	long attempts() {
		return sum(this.attempts, 0, this.attempts.length);
	}

	private double ratio(int[] bins, int second) {
		int from = (int) (this.faultEnd / BIN) + second * BINS_PER_SECOND;
		return sum(bins, from, from + BINS_PER_SECOND)
				/ (double) Math.max(1, sum(this.firstAttempts, from, from + BINS_PER_SECOND));
	}

	private static long sum(int[] bins, int from, int to) {
		long sum = 0;
		for (int bin = Math.max(0, from); bin < Math.min(to, bins.length); bin++) {
			sum += bins[bin];
		}
		return sum;
	}

}
