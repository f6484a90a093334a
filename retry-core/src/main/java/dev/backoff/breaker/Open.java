package dev.backoff.breaker;

import org.jspecify.annotations.Nullable;

import dev.backoff.window.OutcomeWindow.Counts;

/** Refuse all calls for a time; the first after it becomes the first probe. */
final class Open extends BreakerState {

	private final CircuitBreaker breaker;

	private final int opensBefore;

	private final Counts counts;

	private final Wait wait;

	Open(CircuitBreaker breaker, int opensBefore, Counts counts, Wait wait) {
		this.breaker = breaker;
		this.opensBefore = opensBefore;
		this.counts = counts;
		this.wait = wait;
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
