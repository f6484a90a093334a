package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.breaker.CircuitBreaker.Verdict;
import dev.backoff.breaker.CircuitOpenException;

/**
 * The breaker of one method, if it has one. A breaker that throws lets every call pass.
 * Thread-safe.
 */
final class BreakerGate {

	/* Where there is no breaker, or it cannot say: permitted, and nobody counts. */
	private static final Permit UNCOUNTED = new Permit() {

		@Override
		public void succeeded(long nanos, long now) {
		}

		@Override
		public void failed(long nanos, long now, @Nullable Throwable failure) {
		}

		@Override
		public void released() {
		}

	};

	private final @Nullable CallPermits permits;

	private final ListenerChain listeners;

	BreakerGate(@Nullable CallPermits permits, ListenerChain listeners) {
		this.permits = permits;
		this.listeners = listeners;
	}

	/**
	 * Take a permit for the call's next attempt; null if it must not be made. Within a
	 * probe of the same breaker it needs none: the probe's result tells of it too.
	 */
	@Nullable Permit tryAcquire(RetryCall call, long now) {
		if (this.permits == null) {
			return UNCOUNTED;
		}
		try {
			Permit permit = call.isCovered(this.permits) ? UNCOUNTED : this.permits.tryAcquire(now);
			if (permit != null && permit.covers(this.permits)) {
				// of others nobody asks, and a reference costs to write
				call.permitted(permit);
			}
			return permit;
		}
		catch (Throwable ex) {
			failed(ex);
			return UNCOUNTED;
		}
	}

	/** Give a permit back after a success. */
	void succeeded(Permit permit, long nanos, long now) {
		if (permit == UNCOUNTED) {
			return;
		}
		try {
			permit.succeeded(nanos, now);
		}
		catch (Throwable ex) {
			failed(ex);
		}
	}

	/**
	 * Give a permit back after an attempt that was not good enough. An answer is a
	 * success of the dependency, whatever it says; what says nothing about it is not
	 * counted.
	 */
	void ended(Permit permit, Outcome outcome, long nanos, long now) {
		if (permit == UNCOUNTED) {
			return;
		}
		try {
			Verdict verdict = verdict(outcome);
			if (verdict == Verdict.ANSWERED) {
				permit.succeeded(nanos, now);
			}
			else if (verdict == Verdict.FAILED) {
				permit.failed(nanos, now, outcome.failure());
			}
			else {
				permit.released();
			}
		}
		catch (Throwable ex) {
			failed(ex);
		}
	}

	/** Return what the end of an attempt says about the dependency. */
	static Verdict verdict(Outcome outcome) {
		if (outcome.failure() instanceof CircuitOpenException) {
			return Verdict.IGNORED;
		}
		if (outcome.refusal() != null && outcome.refusal().problem() != null) {
			// nobody could say what it was: a classifier failed
			return Verdict.FAILED;
		}
		return outcome.kind().verdict();
	}

	/** Return whether an attempt would get a permit. */
	boolean isPermitting(long now) {
		if (this.permits == null) {
			return true;
		}
		try {
			return this.permits.isPermitting(now);
		}
		catch (Throwable ex) {
			failed(ex);
			return true;
		}
	}

	/** Return the time until a permit may be had, zero if that is now or unknown. */
	long nanosToPermit(long now) {
		try {
			return (this.permits != null) ? Math.max(0, this.permits.nanosToPermit(now)) : 0;
		}
		catch (Throwable ex) {
			failed(ex);
			return 0;
		}
	}

	/** Return whether a refused call waits. */
	boolean isAwaited() {
		try {
			return this.permits != null && this.permits.isAwaited();
		}
		catch (Throwable ex) {
			failed(ex);
			return false;
		}
	}

	/** Return how long a refused first attempt waits at most. */
	long longestWaitNanos() {
		try {
			return (this.permits != null) ? this.permits.longestWaitNanos() : 0;
		}
		catch (Throwable ex) {
			failed(ex);
			return 0;
		}
	}

	/** Return what a call is thrown that made no attempt. */
	CircuitOpenException rejection(long now) {
		try {
			if (this.permits != null) {
				return this.permits.rejection(now);
			}
		}
		catch (Throwable ex) {
			failed(ex);
		}
		return new CircuitOpenException(name(), "open", null, null);
	}

	/** Return the reason in words. */
	String why() {
		return "the breaker " + name() + " is open";
	}

	private String name() {
		try {
			return (this.permits != null) ? this.permits.name() : "";
		}
		catch (Throwable ex) {
			failed(ex);
			return "of the policy";
		}
	}

	private void failed(Throwable ex) {
		this.listeners.hookFailed("breaker", ex);
	}

}
