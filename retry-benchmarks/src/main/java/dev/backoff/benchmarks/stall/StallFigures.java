package dev.backoff.benchmarks.stall;

import java.time.Duration;
import java.util.OptionalDouble;

/**
 * What happened around a stall, counted in tenths of a second. Thread-safe.
 */
public final class StallFigures {

	/** The share of the calls that end in a second that must succeed. */
	static final double BACK = 0.95;

	private static final long BIN = 100_000_000;

	private static final int BINS_PER_SECOND = 10;

	private final long stallEnd;

	private final int[] firstAttempts;

	private final int[] attempts;

	private final int[] successes;

	private final int[] failures;

	StallFigures(long stallEnd, Duration horizon) {
		this.stallEnd = stallEnd;
		int bins = (int) ((stallEnd + horizon.toNanos()) / BIN);
		this.firstAttempts = new int[bins];
		this.attempts = new int[bins];
		this.successes = new int[bins];
		this.failures = new int[bins];
	}

	void firstAttempt(long at) {
		count(this.firstAttempts, at);
	}

	void attempt(long at) {
		count(this.attempts, at);
	}

	void success(long at) {
		count(this.successes, at);
	}

	void failure(long at) {
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
	 * Return when the server was back: the first moment after the stall from which on, in
	 * every second, at least 95 % of the calls that end succeed. Calls end as often as
	 * they begin, but for those that a backlog holds, so goodput is then 95 % of what is
	 * offered; reckoned from calls that begin, it would swing with every queue.
	 * @return seconds since the end of the stall, or nothing if it was not back within
	 * the horizon
	 */
	public synchronized OptionalDouble recoverySeconds() {
		int stallEndBin = (int) (this.stallEnd / BIN);
		int last = this.attempts.length - BINS_PER_SECOND;
		int back = last + 1;
		while (back > stallEndBin && isBack(back - 1)) {
			back--;
		}
		return (back > last) ? OptionalDouble.empty()
				: OptionalDouble.of((back - stallEndBin) / (double) BINS_PER_SECOND);
	}

	private boolean isBack(int bin) {
		long succeeded = sum(this.successes, bin, bin + BINS_PER_SECOND);
		long failed = sum(this.failures, bin, bin + BINS_PER_SECOND);
		return succeeded > 0 && succeeded >= BACK * (succeeded + failed);
	}

	/**
	 * Return what the clients asked of the server for each call while it was not back,
	 * and the second after.
	 * @return attempts for each first attempt
	 */
	public synchronized double loadUntilBack() {
		int stallEndBin = (int) (this.stallEnd / BIN);
		int from = stallEndBin - 3 * BINS_PER_SECOND;
		OptionalDouble recovery = recoverySeconds();
		int to = recovery.isPresent() ? stallEndBin + (int) ((recovery.getAsDouble() + 1) * BINS_PER_SECOND)
				: this.attempts.length;
		return sum(this.attempts, from, to) / (double) sum(this.firstAttempts, from, to);
	}

	/**
	 * Return whether a second was looked at as a whole.
	 * @param second counted from the end of the stall, negative before it
	 * @return whether it has figures
	 */
	public boolean covers(int second) {
		int from = (int) (this.stallEnd / BIN) + second * BINS_PER_SECOND;
		return from >= 0 && from + BINS_PER_SECOND <= this.attempts.length;
	}

	/**
	 * Return the share of the first attempts of a second that are matched by successes in
	 * it.
	 * @param second counted from the end of the stall, negative before it
	 * @return 0 and more; above 1 while a backlog is served
	 */
	public synchronized double goodput(int second) {
		return ratio(this.successes, second);
	}

	/**
	 * Return the attempts in a second for each first attempt in it.
	 * @param second counted from the end of the stall, negative before it
	 * @return 1 and more, about
	 */
	public synchronized double load(int second) {
		return ratio(this.attempts, second);
	}

	private double ratio(int[] bins, int second) {
		int from = (int) (this.stallEnd / BIN) + second * BINS_PER_SECOND;
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
