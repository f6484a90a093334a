package dev.backoff.breaker;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.Nanos;
import dev.backoff.window.OutcomeWindow.Counts;

/** Permit as many calls as there are probes; their results decide. */
final class HalfOpen implements Phase {

	/*
	 * The time runs while probes are under way, from the first of them on. It stands
	 * still while there are none: with one call a minute, three probes would never come
	 * together in thirty seconds, and every other call would be rejected for ever.
	 */

	private final Circuit circuit;

	private final int opensBefore;

	private final AtomicReference<Tally> tally;

	HalfOpen(Circuit circuit, int opensBefore, long now) {
		this.circuit = circuit;
		this.opensBefore = opensBefore;
		this.tally = new AtomicReference<>(new Tally(0, 0, 0, 0, new Wait(now, timeout())));
	}

	private int probes() {
		return this.circuit.numbers().probes();
	}

	private long timeout() {
		return Nanos.of(this.circuit.numbers().halfOpenTimeout());
	}

	/*
	 * A result writes the tally before it reads the numbers, and a change of the numbers
	 * writes them before it reads the tally. So one of both sees enough results.
	 */
	@Override
	public void conform() {
		Tally next = this.tally.updateAndGet((seen) -> seen.within(timeout()));
		if (next.ended >= probes()) {
			decide(next.counts(), this.circuit.now());
		}
	}

	@Override
	public BreakerState state() {
		return BreakerState.HALF_OPEN;
	}

	@Override
	public CallPermits.@Nullable Permit tryAcquire(long now) {
		while (true) {
			Tally seen = tally();
			if (isOver(seen, now)) {
				return this.circuit.current().tryAcquire(now);
			}
			if (seen.taken >= probes()) {
				return null;
			}
			if (this.tally.compareAndSet(seen, seen.take(now, timeout()))) {
				return this;
			}
		}
	}

	@Override
	public boolean isPermitting(long now) {
		Tally seen = tally();
		if (isOver(seen, now)) {
			return this.circuit.current().isPermitting(now);
		}
		return seen.taken < probes();
	}

	@Override
	public int opensBefore() {
		return this.opensBefore;
	}

	@Override
	public Counts counts(long now) {
		return tally().counts();
	}

	@Override
	public void succeeded(long nanos, long now) {
		ended(false, nanos, now);
	}

	@Override
	public void failed(long nanos, long now, @Nullable Throwable failure) {
		ended(true, nanos, now);
	}

	private void ended(boolean failed, long nanos, long now) {
		boolean slow = this.circuit.numbers().isSlow(nanos);
		Tally seen;
		Tally next;
		do {
			seen = tally();
			if (seen.isOverdue(now)) {
				reopen(now);
				return;
			}
			if (!seen.isAnyOut()) {
				return; // given back twice
			}
			next = seen.end(failed, slow);
		}
		while (!this.tally.compareAndSet(seen, next));
		if (next.ended >= probes()) {
			decide(next.counts(), now);
		}
	}

	/* An overflow of the stack may have kept the last result from deciding. */
	private boolean isOver(Tally seen, long now) {
		if (seen.isOverdue(now)) {
			reopen(now);
		}
		else if (seen.ended >= probes()) {
			decide(seen.counts(), now);
		}
		return !this.circuit.isCurrent(this);
	}

	private void decide(Counts counts, long now) {
		if (this.circuit.numbers().isRateTooHigh(counts)) {
			reopen(now);
		}
		else {
			this.circuit.move(this, new Closed(this.circuit));
		}
	}

	private void reopen(long now) {
		if (this.circuit.isCurrent(this)) {
			this.circuit.move(this, Open.drawn(this.circuit, this.opensBefore, counts(now), now));
		}
	}

	@Override
	public void released() {
		// none is out where one is given back twice
		Tally seen = tally();
		while (seen.isAnyOut() && !this.tally.compareAndSet(seen, seen.giveBack())) {
			seen = tally();
		}
	}

	@Override
	public boolean covers(CallPermits breaker) {
		return breaker == this.circuit && this.circuit.isCurrent(this);
	}

	private Tally tally() {
		return Objects.requireNonNull(this.tally.get());
	}

	/**
	 * What became of the permits.
	 *
	 * @param taken permits that are out or whose calls have ended
	 * @param ended calls that have ended
	 * @param failed those that failed
	 * @param slow those that were slow
	 * @param timer how long those that are out may still take
	 */
	private record Tally(int taken, int ended, int failed, int slow, Wait timer) {

		boolean isAnyOut() {
			return this.taken > this.ended;
		}

		boolean isOverdue(long now) {
			return isAnyOut() && this.timer.isOver(now);
		}

		Tally take(long now, long timeout) {
			return new Tally(this.taken + 1, this.ended, this.failed, this.slow,
					isAnyOut() ? this.timer : new Wait(now, timeout));
		}

		Tally within(long timeout) {
			return new Tally(this.taken, this.ended, this.failed, this.slow, this.timer.lasting(timeout));
		}

		Tally giveBack() {
			return new Tally(this.taken - 1, this.ended, this.failed, this.slow, this.timer);
		}

		Tally end(boolean failed, boolean slow) {
			return new Tally(this.taken, this.ended + 1, this.failed + (failed ? 1 : 0), this.slow + (slow ? 1 : 0),
					this.timer);
		}

		Counts counts() {
			return new Counts(this.ended, this.failed, this.slow);
		}

	}

}
