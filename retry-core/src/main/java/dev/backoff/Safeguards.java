package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.budget.RetryBudget;

/**
 * What a method's calls share with others, so that together they do not make an overload
 * worse. Thread-safe.
 */
record Safeguards(@Nullable Slots slots, @Nullable CallPermits breaker, @Nullable RetryBudget budget,
		WaitingCalls waiting, boolean keeping) {

	/**
	 * Return the same for calls that wait elsewhere, whatever happens here. Their keeper
	 * bounds how many attempts run at once.
	 */
	Safeguards keptElsewhere() {
		return new Safeguards(null, this.breaker, this.budget, new WaitingCalls(), true);
	}

	/**
	 * Take a slot and a permit for the call's next attempt; null if it must not be made,
	 * with the call's place in the queue if it has no slot.
	 */
	@Nullable Permit tryAcquire(CallState call, long now) {
		if (this.slots == null) {
			return permit(call, now);
		}
		return this.slots.tryTake(call) ? this.slots.joined(permit(call, now), call) : null;
	}

	/*
	 * Within a probe of the same breaker an attempt needs no permit: the probe's result
	 * covers it.
	 */
	private @Nullable Permit permit(CallState call, long now) {
		if (this.breaker == null) {
			return SafeCallbacks.UNCOUNTED;
		}
		Permit permit = isCovered(call, this.breaker) ? SafeCallbacks.UNCOUNTED : this.breaker.tryAcquire(now);
		if (permit != null && permit.covers(this.breaker)) {
			// only a probe's, since a reference costs to write
			call.context().probe(permit);
		}
		return permit;
	}

	private static boolean isCovered(CallState call, CallPermits breaker) {
		for (CallState around = call.around(); around != null; around = around.around()) {
			AttemptContext context = around.contextIfAny();
			Permit probe = (context != null) ? context.probe() : null;
			if (probe != null && probe.covers(breaker)) {
				return true;
			}
		}
		return false;
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
		if (permit != SafeCallbacks.UNCOUNTED) {
			permit.succeeded(nanos, now);
		}
		if (this.budget != null) {
			this.budget.deposit();
		}
	}

	/** Note the success of a call that failed before. */
	void succeeded() {
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

}
