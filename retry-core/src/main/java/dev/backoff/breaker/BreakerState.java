package dev.backoff.breaker;

import org.jspecify.annotations.Nullable;

import dev.backoff.window.OutcomeWindow.Counts;

/**
 * What a breaker does in one of its states, from entering it to leaving it.
 * <p>
 * A state is its own permit: giving one allocates nothing, and results of a call that
 * began under an earlier state reach an object that is no longer current, which ignores
 * them.
 */
abstract class BreakerState implements CallPermits.Permit {

	/** Return which state it is. */
	abstract CircuitBreaker.State kind();

	/** Take a permit, or return null to refuse. */
	abstract CallPermits.@Nullable Permit tryAcquire(long now);

	/** Return whether a permit would be given. */
	abstract boolean isPermitting(long now);

	/** Return the nanoseconds until it may permit, zero if it does or nobody can tell. */
	long nanosToPermit(long now) {
		return 0;
	}

	/** Return for how many nanoseconds it has refused calls, negative if unknown. */
	long nanosOpen(long now) {
		return -1;
	}

	/** Return how often it opened since it was last closed, not counting this time. */
	int opensBefore() {
		return 0;
	}

	/** Return what it has counted. */
	Counts counts(long now) {
		return Counts.NONE;
	}

	/** Go on by the breaker's numbers as they are now, if it is in this state. */
	void conform() {
	}

	@Override
	public void succeeded(long nanos, long now) {
	}

	@Override
	public void failed(long nanos, long now, @Nullable Throwable failure) {
	}

	@Override
	public void released() {
	}

}
