package dev.backoff.breaker;

/** Permit all calls and count none. */
record Disabled() implements Phase {

	@Override
	public BreakerState state() {
		return BreakerState.DISABLED;
	}

	@Override
	public Disabled tryAcquire(long now) {
		return this;
	}

	@Override
	public boolean isPermitting(long now) {
		return true;
	}

}
