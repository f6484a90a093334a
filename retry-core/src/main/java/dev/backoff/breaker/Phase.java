package dev.backoff.breaker;

import org.jspecify.annotations.Nullable;

import dev.backoff.window.OutcomeWindow.Counts;

/**
 * What a breaker does from entering a state to leaving it.
 * <p>
 * A phase is its own permit, so giving one allocates nothing. The result of a call that
 * began in an earlier phase reaches an object that is no longer current and ignores it.
 */
interface Phase extends CallPermits.Permit {

	BreakerState state();

	/** Take a permit, or return null to refuse. */
	CallPermits.@Nullable Permit tryAcquire(long now);

	/** Return whether a permit would be given. */
	boolean isPermitting(long now);

	/** Return the nanoseconds until it may permit, zero if it does or if unknown. */
	default long nanosToPermit(long now) {
		return 0;
	}

	/** Return for how many nanoseconds it has refused calls, negative if unknown. */
	default long nanosOpen(long now) {
		return -1;
	}

	/** Return how often it opened since it was last closed, not counting this time. */
	default int opensBefore() {
		return 0;
	}

	default Counts counts(long now) {
		return Counts.NONE;
	}

	/** Follow the circuit's present numbers, if this phase depends on them. */
	default void conform() {
	}

}
