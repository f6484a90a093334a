package dev.backoff.breaker;

/** Permit all calls and count none. */
final class Disabled extends BreakerState {

	@Override
	CircuitBreaker.State kind() {
		return CircuitBreaker.State.DISABLED;
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
