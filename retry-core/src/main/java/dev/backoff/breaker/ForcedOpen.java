package dev.backoff.breaker;

import org.jspecify.annotations.Nullable;

/** Refuse all calls until another state is set by hand. */
record ForcedOpen(Wait timer) implements Phase {

	@Override
	public BreakerState state() {
		return BreakerState.FORCED_OPEN;
	}

	@Override
	public CallPermits.@Nullable Permit tryAcquire(long now) {
		return null;
	}

	@Override
	public boolean isPermitting(long now) {
		return false;
	}

	@Override
	public long nanosOpen(long now) {
		return this.timer.elapsed(now);
	}

}
