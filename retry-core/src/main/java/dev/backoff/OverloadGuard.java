package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.budget.RetryBudget;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.concurrency.Ticket;

/**
 * What a method's calls share with others, so that together they do not make an overload
 * worse: the concurrency limit and the breaker, which each give a permit for an attempt,
 * and the budget. One object gives both permits back, once. Thread-safe.
 */
final class OverloadGuard {

	private final @Nullable ConcurrencyLimit limit;

	private final @Nullable CallPermits breaker;

	private final @Nullable RetryBudget budget;

	private final boolean keeping;

	/* Most permits are the same object, so that an attempt allocates nothing. */
	private @Nullable BothPermits last;

	OverloadGuard(@Nullable ConcurrencyLimit limit, @Nullable CallPermits breaker, @Nullable RetryBudget budget,
			boolean keeping) {
		this.limit = limit;
		this.breaker = breaker;
		this.budget = budget;
		this.keeping = keeping;
	}

	/**
	 * Return the same for calls that wait elsewhere, whatever happens here. Their keeper
	 * bounds how many attempts run at once.
	 */
	OverloadGuard keptElsewhere() {
		return new OverloadGuard(null, this.breaker, this.budget, true);
	}

	/** Return whether calls wait elsewhere. */
	boolean isKeeping() {
		return this.keeping;
	}

	@Nullable RetryBudget budget() {
		return this.budget;
	}

	/**
	 * Take the permits for the call's next attempt; null if it must not be made, with a
	 * ticket if the concurrency limit gave none.
	 */
	@Nullable Permit tryAcquire(CallState call, long now) {
		if (this.limit == null) {
			return ofBreaker(call, now);
		}
		return isWithinLimit(call, this.limit) ? joined(ofBreaker(call, now), call, this.limit) : null;
	}

	/* An attempt needs no permit of the limit within one that holds one. */
	private static boolean isWithinLimit(CallState call, ConcurrencyLimit limit) {
		Ticket ticket = call.ticket;
		if (ticket == null) {
			boolean within = isInsideHolder(call, limit);
			if (within || limit.tryAcquire()) {
				call.holdsPermit = !within;
				return true;
			}
			ticket = limit.enter();
		}
		boolean granted = ticket.isGranted();
		if (granted) {
			ticket.keep();
		}
		call.ticket = granted ? null : ticket;
		call.holdsPermit = granted;
		return granted;
	}

	private static boolean isInsideHolder(CallState call, ConcurrencyLimit limit) {
		for (CallState around = call.around(); around != null; around = around.around()) {
			SharedAttempt elsewhere = around.shared();
			if ((elsewhere != null) ? elsewhere.isHoldingPermit(limit)
					: (around.holdsPermit && around.settings().limit() == limit)) {
				return true;
			}
		}
		return false;
	}

	/*
	 * Within a probe of the same breaker an attempt needs no permit of it: the probe's
	 * result covers it.
	 */
	private @Nullable Permit ofBreaker(CallState call, long now) {
		if (this.breaker == null) {
			return Permit.UNCOUNTED;
		}
		Permit permit = isInsideProbe(call, this.breaker) ? Permit.UNCOUNTED : this.breaker.tryAcquire(now);
		if (permit != null && permit.covers(this.breaker)) {
			// only a probe's, since a reference costs to write
			call.context().probe = permit;
		}
		return permit;
	}

	private static boolean isInsideProbe(CallState call, CallPermits breaker) {
		for (CallState around = call.around(); around != null; around = around.around()) {
			AttemptContext context = around.contextIfAny();
			Permit probe = (context != null) ? context.probe : null;
			if (probe != null && probe.covers(breaker)) {
				return true;
			}
		}
		return false;
	}

	/* Without the breaker's permit, the limit's is given back. */
	private @Nullable Permit joined(@Nullable Permit ofBreaker, CallState call, ConcurrencyLimit limit) {
		if (!call.holdsPermit) {
			return ofBreaker;
		}
		if (ofBreaker == null) {
			call.holdsPermit = false;
			limit.release();
			return null;
		}
		BothPermits joined = this.last;
		if (joined == null || joined.ofBreaker() != ofBreaker) {
			joined = new BothPermits(ofBreaker, limit);
			this.last = joined;
		}
		return joined;
	}

	/**
	 * Note the end of an attempt that was not good enough. An answer is a success of the
	 * dependency, whatever it says; what says nothing about it is not counted.
	 */
	void ended(Permit permit, Outcome outcome, long nanos, long now) {
		switch (outcome.verdict()) {
			case ANSWERED -> permit.succeeded(nanos, now);
			case FAILED -> permit.failed(nanos, now, outcome.failure());
			case IGNORED -> permit.released();
		}
	}

	/** Note the end of an attempt that succeeded, and with it the call at once. */
	void succeededAtOnce(Permit permit, long nanos, long now) {
		if (permit != Permit.UNCOUNTED) {
			permit.succeeded(nanos, now);
		}
		if (this.budget != null) {
			this.budget.deposit();
		}
	}

	/** Return what the breaker says before an attempt. */
	DecisionInput.Breaker answer(long now) {
		return (this.breaker == null || this.breaker.isPermitting(now)) ? DecisionInput.Breaker.PERMITTING
				: refusal(now);
	}

	/** Return what the breaker says when it has refused an attempt. */
	DecisionInput.Breaker refusal(long now) {
		return (this.breaker == null) ? DecisionInput.Breaker.PERMITTING : new DecisionInput.Breaker(
				this.breaker.name(), false, this.keeping || this.breaker.isAwaited(), this.breaker.nanosToPermit(now));
	}

	/** Return what a call throws that made no attempt. */
	CircuitOpenException rejection(long now) {
		return (this.breaker != null) ? this.breaker.rejection(now) : new CircuitOpenException("", "open", null, null);
	}

	/** The permit of a breaker, with one of the concurrency limit. */
	private record BothPermits(Permit ofBreaker, ConcurrencyLimit limit) implements Permit {

		@Override
		public void succeeded(long nanos, long now) {
			this.ofBreaker.succeeded(nanos, now);
			this.limit.release();
		}

		@Override
		public void failed(long nanos, long now, @Nullable Throwable failure) {
			this.ofBreaker.failed(nanos, now, failure);
			this.limit.release();
		}

		@Override
		public void released() {
			this.ofBreaker.released();
			this.limit.release();
		}

		@Override
		public boolean covers(CallPermits breaker) {
			return this.ofBreaker.covers(breaker);
		}

	}

}
