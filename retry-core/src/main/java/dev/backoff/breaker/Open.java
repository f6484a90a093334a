package dev.backoff.breaker;

import org.jspecify.annotations.Nullable;

import dev.backoff.window.OutcomeWindow.Counts;

/** Refuse all calls for a time; the first after it becomes the first probe. */
final class Open extends BreakerState {

	private static final long BY_HAND = -1;

	private final CircuitBreaker breaker;

	private final int opensBefore;

	private final Counts counts;

	private final Wait wait;

	private final long longest;

	/** Stay open for a time drawn from the given longest one. */
	Open(CircuitBreaker breaker, int opensBefore, Counts counts, Wait wait, long longest) {
		this.longest = longest;
		this.breaker = breaker;
		this.opensBefore = opensBefore;
		this.counts = counts;
		this.wait = wait;
	}

	/** Stay open for a time that is nobody's but who set it. */
	static Open byHand(CircuitBreaker breaker, int opensBefore, Wait wait) {
		return new Open(breaker, opensBefore, Counts.NONE, wait, BY_HAND);
	}

	@Override
	void conform() {
		long longest = this.breaker.longestOpen(this.opensBefore);
		if (this.longest != BY_HAND && this.longest != longest) {
			Wait scaled = this.wait.scaled((double) longest / this.longest, longest);
			this.breaker.move(this, new Open(this.breaker, this.opensBefore, this.counts, scaled, longest));
		}
	}

	@Override
	CircuitBreaker.State kind() {
		return CircuitBreaker.State.OPEN;
	}

	@Override
	CallPermits.@Nullable Permit tryAcquire(long now) {
		if (!this.wait.isOver(now)) {
			return null;
		}
		HalfOpen next = new HalfOpen(this.breaker, this.opensBefore + 1, now);
		return this.breaker.move(this, next) ? next : this.breaker.current().tryAcquire(now);
	}

	@Override
	boolean isPermitting(long now) {
		return this.wait.isOver(now);
	}

	@Override
	long nanosToPermit(long now) {
		return this.wait.left(now);
	}

	@Override
	long nanosOpen(long now) {
		return this.wait.elapsed(now);
	}

	@Override
	int opensBefore() {
		return this.opensBefore;
	}

	@Override
	Counts counts(long now) {
		return this.counts;
	}

}
