package dev.backoff.pace;

/**
 * How many attempts a second a server bears, learned from successes and refusals. It is
 * unknown, and limits nothing, before the first refusal. Used under the lock of its pace.
 */
final class LearnedRate {

	/*
	 * A server that refuses a few attempts for reasons that are not the rate would starve
	 * the client. Hence the memory: a rate below 0.6 of its best, although at most a
	 * tenth of the attempts are refused, is not their cause. Refusals come in lumps: each
	 * one that is read halves what is remembered, as the last n attempts look clean soon.
	 * Refusals among the first few attempts tell little.
	 */

	private static final double CUT = 0.9;

	/* In a minute or in 100 successes (restored: 3), whichever comes first. */
	private static final double GROWTH = 0.05;

	private static final double FIRST_GROWTH = 1.1;

	private static final long MINUTE = 60_000_000_000L;

	/* Before the first refusal; afterwards, a hold is no pause. */
	private static final long PAUSE = MINUTE / 12;

	private static final long WITHOUT_CAUSE = 2 * MINUTE;

	/* 0 while it is unknown. */
	double perSecond;

	/* Of successes, before the first refusal; 0 before that. */
	double unlimited;

	/* Whether it was refused at a rate of its own. Until then it grows fast. */
	private boolean settled;

	private long refusedAt;

	/* The highest settled rate at a refusal since the last dense one. */
	private double best;

	/* Until then only dense refusals lower the rate, which is back at its best. */
	private long restoredUntil;

	private double attempts;

	private double refusals;

	private double successes;

	private long measuredSince;

	private long endedAt;

	LearnedRate(long now) {
		this.measuredSince = now;
		this.restoredUntil = now;
		this.endedAt = now;
	}

	/** Return the time between two attempts, in nanoseconds. */
	double gap() {
		return (this.perSecond > 0) ? 1e9 / this.perSecond : 0;
	}

	/** Note an attempt that succeeded, and whether calls wait for the rate. */
	void succeeded(long start, long now, boolean waiting) {
		ended(start, now);
		this.successes++;
		// or a server that refuses late would see it grow without a bound
		if (this.perSecond < 5 * measured(now, 5) && waiting) {
			double steps = Math.max(1, Math.min((now - this.restoredUntil < 0) ? 3 : 100, this.perSecond * 60));
			this.perSecond *= this.settled ? 1 + GROWTH / steps : FIRST_GROWTH;
		}
	}

	/* What was measured before a pause tells nothing of the rate after it. */
	private void ended(long start, long now) {
		this.attempts++;
		if (start - this.endedAt > ((this.perSecond > 0) ? 2 * MINUTE : PAUSE)) {
			this.successes = 0;
			this.measuredSince = start;
		}
		this.endedAt = now;
	}

	/*
	 * Over some seconds, as a few successes right after each other are no high rate. What
	 * is older counts half after a minute.
	 */
	private double measured(long now, double leastSeconds) {
		if (now - this.measuredSince > MINUTE) {
			this.successes /= 2;
			this.measuredSince = now - MINUTE / 2;
		}
		return Math.max(1, this.successes) / Math.max(leastSeconds, (now - this.measuredSince) / 1e9);
	}

	/**
	 * Note an attempt that was refused. One refusal speaks for all attempts that were
	 * under way with its own. The rate stays above the given one.
	 */
	void refused(long start, long now, double least) {
		ended(start, now);
		this.refusals++;
		if (this.perSecond > 0 && start - this.refusedAt <= 0) {
			return;
		}
		this.refusedAt = now;
		boolean few = this.attempts < 8;
		boolean dense = isDense();
		if (this.perSecond == 0) {
			this.unlimited = measured(now, 5);
			this.perSecond = few ? Math.max(1, this.unlimited) : this.unlimited;
			this.successes = 0;
			this.measuredSince = now;
		}
		else if (!this.settled) {
			// what began without a rate may have raised it too much, a burst even more
			this.perSecond = Math.min(this.perSecond, measured(now, 1)) * (dense ? 0.7 : 1);
			this.settled = !few;
		}
		else {
			this.best = dense ? 0 : Math.max(this.best, this.perSecond);
			if (this.perSecond < this.best * 0.6) {
				this.perSecond = this.best;
				this.restoredUntil = now + WITHOUT_CAUSE;
				return;
			}
			if (now - this.restoredUntil < 0 && !dense) {
				return;
			}
		}
		this.perSecond = Math.max(least, this.perSecond * CUT);
	}

	private boolean isDense() {
		boolean dense = this.refusals > this.attempts / 10;
		double remembered = Math.min(32, this.attempts / 2);
		this.refusals *= remembered / this.attempts;
		this.attempts = remembered;
		return dense;
	}

}
