package dev.backoff.breaker;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.Nanos;
import dev.backoff.window.OutcomeWindow.Counts;

/** Permit as many calls as there are probes; their results decide. */
final class HalfOpen extends BreakerState {

	private final CircuitBreaker breaker;

	private final int opensBefore;

	private final int probes;

	private final Wait wait;

	private final AtomicReference<Tally> tally;

	HalfOpen(CircuitBreaker breaker, int opensBefore, long now, int taken) {
		this.breaker = breaker;
		this.opensBefore = opensBefore;
		this.probes = breaker.settings().probes();
		this.wait = new Wait(now, Nanos.of(breaker.settings().halfOpenTimeout()));
		this.tally = new AtomicReference<>(new Tally(taken, 0, 0, 0));
	}

	@Override
	CircuitBreaker.State kind() {
		return CircuitBreaker.State.HALF_OPEN;
	}

	@Override
	CallPermits.@Nullable Permit tryAcquire(long now) {
		if (this.wait.isOver(now)) {
			reopen(now);
			return this.breaker.current().tryAcquire(now);
		}
		Tally seen;
		do {
			seen = tally();
			if (seen.taken == this.probes) {
				return null;
			}
		}
		while (!this.tally.compareAndSet(seen, seen.take()));
		return this;
	}

	@Override
	boolean isPermitting(long now) {
		if (this.wait.isOver(now)) {
			reopen(now);
			return this.breaker.current().isPermitting(now);
		}
		return tally().taken < this.probes;
	}

	@Override
	int opensBefore() {
		return this.opensBefore;
	}

	@Override
	Counts counts(long now) {
		return tally().counts();
	}

	@Override
	public void succeeded(long nanos, long now) {
		ended(false, this.breaker.isSlow(nanos), now);
	}

	@Override
	public void failed(long nanos, long now) {
		ended(true, this.breaker.isSlow(nanos), now);
	}

	private void ended(boolean failed, boolean slow, long now) {
		if (this.wait.isOver(now)) {
			reopen(now);
			return;
		}
		Tally seen;
		Tally next;
		do {
			seen = tally();
			if (seen.ended == seen.taken) {
				return; // given back twice
			}
			next = seen.end(failed, slow);
		}
		while (!this.tally.compareAndSet(seen, next));
		if (next.ended == this.probes) {
			if (this.breaker.isRateTooHigh(next.counts())) {
				reopen(now);
			}
			else {
				this.breaker.move(this, new Closed(this.breaker));
			}
		}
	}

	private Tally tally() {
		return Objects.requireNonNull(this.tally.get());
	}

	private void reopen(long now) {
		if (this.breaker.isCurrent(this)) {
			this.breaker.move(this, this.breaker.opened(this.opensBefore, counts(now), now));
		}
	}

	@Override
	public void released() {
		Tally seen;
		do {
			seen = tally();
			if (seen.ended == seen.taken) {
				return; // given back twice
			}
		}
		while (!this.tally.compareAndSet(seen, seen.giveBack()));
	}

	/**
	 * What became of the permits.
	 *
	 * @param taken permits that are out or whose calls have ended
	 * @param ended calls that have ended
	 * @param failed those that failed
	 * @param slow those that were slow
	 */
	private record Tally(int taken, int ended, int failed, int slow) {

		Tally take() {
			return new Tally(this.taken + 1, this.ended, this.failed, this.slow);
		}

		Tally giveBack() {
			return new Tally(this.taken - 1, this.ended, this.failed, this.slow);
		}

		Tally end(boolean failed, boolean slow) {
			return new Tally(this.taken, this.ended + 1, this.failed + (failed ? 1 : 0), this.slow + (slow ? 1 : 0));
		}

		Counts counts() {
			return new Counts(this.ended, this.failed, this.slow);
		}

	}

}
