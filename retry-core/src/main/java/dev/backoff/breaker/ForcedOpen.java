package dev.backoff.breaker;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.Nanos;

/** Refuse all calls until another state is set by hand. */
final class ForcedOpen extends Phase {

	private final Wait wait;

	ForcedOpen(long now) {
		this.wait = new Wait(now, Nanos.UNLIMITED);
	}

	@Override
	BreakerState state() {
		return BreakerState.FORCED_OPEN;
	}

	@Override
	CallPermits.@Nullable Permit tryAcquire(long now) {
		return null;
	}

	@Override
	boolean isPermitting(long now) {
		return false;
	}

	@Override
	long nanosOpen(long now) {
		return this.wait.elapsed(now);
	}

}
