package dev.backoff.breaker;

/** Permit all calls and count none. */
final class Disabled extends Phase {

	@Override
	BreakerState state() {
		return BreakerState.DISABLED;
	}

	@Override
	Disabled tryAcquire(long now) {
		return this;
	}

	@Override
	boolean isPermitting(long now) {
		return true;
	}

}
