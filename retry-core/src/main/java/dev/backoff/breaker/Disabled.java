package dev.backoff.breaker;

import org.jspecify.annotations.Nullable;

/** Permit all calls and count none, for a time; the first call after it closes. */
record Disabled(Circuit circuit, Wait timer) implements Phase {

	@Override
	public BreakerState state() {
		return BreakerState.DISABLED;
	}

	@Override
	public CallPermits.@Nullable Permit tryAcquire(long now) {
		if (!this.timer.isOver(now)) {
			return this;
		}
		this.circuit.move(this, new Closed(this.circuit));
		return this.circuit.current().tryAcquire(now);
	}

	@Override
	public boolean isPermitting(long now) {
		return true;
	}

}
