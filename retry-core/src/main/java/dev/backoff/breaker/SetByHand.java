package dev.backoff.breaker;

import org.jspecify.annotations.Nullable;

/**
 * Refuse all calls, or permit all and count none, for a time; the first call after it
 * finds the breaker closed.
 *
 * @param state {@link BreakerState#FORCED_OPEN} or {@link BreakerState#DISABLED}
 */
record SetByHand(Circuit circuit, BreakerState state, Wait timer) implements Phase {

	@Override
	public CallPermits.@Nullable Permit tryAcquire(long now) {
		if (this.timer.isOver(now)) {
			this.circuit.move(this, new Closed(this.circuit));
			return this.circuit.current().tryAcquire(now);
		}
		return (this.state == BreakerState.DISABLED) ? this : null;
	}

	@Override
	public boolean isPermitting(long now) {
		return this.state == BreakerState.DISABLED;
	}

	@Override
	public long nanosOpen(long now) {
		return this.timer.elapsed(now);
	}

}
