package dev.backoff;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreaker.Verdict;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.budget.RetryBudget;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.concurrency.Ticket;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.pace.Pace;
import dev.backoff.time.Nanos;

/**
 * What a method's calls share with others, so that together they do not make an overload
 * worse: the concurrency limit and the breaker, which each give a permit for an attempt,
 * and the budget. Breaker and pace may be of the key of the call. Thread-safe.
 *
 * @param isDurable whether the calls are stored while they wait
 */
record OverloadGuard(@Nullable ConcurrencyLimit limit, @Nullable RetryBudget budget, boolean isDurable) {

	/**
	 * Return the same for stored calls, which wait whatever happens here. Their workers
	 * bound how many attempts run at once.
	 */
	OverloadGuard ofStoredCalls() {
		return new OverloadGuard(null, this.budget, true);
	}

	/**
	 * Take the permits for the call's next attempt; null if it must not be made, with a
	 * ticket if the concurrency limit gave none.
	 */
	@Nullable Permit tryAcquire(CallState call, long now) {
		Pace pace = this.isDurable ? null : call.settings().pace();
		boolean waited = call.ticket != null;
		if ((pace != null && !hasTurn(call, pace, now)) || (this.limit != null && !isWithinLimit(call, this.limit))) {
			return null;
		}
		if (pace != null && waited && pace.nanosHeld(now) > 0) {
			// the turn is void; a call that waits holds no permit
			call.attemptEnded();
			call.ticket = pace.enter(true, now);
			return null;
		}
		Permit permit = ofBreaker(call, now);
		if (permit == null) {
			CallStack.settle();
			call.attemptEnded();
		}
		return permit;
	}

	/* No turn is taken where the breaker refuses. */
	private boolean hasTurn(CallState call, Pace pace, long now) {
		if (call.ticket == null) {
			CallPermits breaker = call.settings().breaker();
			if (breaker != null && !isInsideProbe(call, breaker) && !breaker.isPermitting(now)) {
				return false;
			}
			Outcome last = call.lastOutcome();
			call.ticket = pace.enter(last != null && last.kind() == AttemptOutcome.THROTTLED, now);
			return call.ticket == null;
		}
		// with its turn, a call may wait for a permit
		return call.awaitedPace() == null || takes(call, call.ticket);
	}

	private static boolean takes(CallState call, Ticket ticket) {
		if (ticket.isGranted()) {
			ticket.keep();
			call.ticket = null;
		}
		return call.ticket == null;
	}

	/* None is needed inside an attempt with one. Note at once what is taken. */
	private static boolean isWithinLimit(CallState call, ConcurrencyLimit limit) {
		if (call.ticket == null) {
			if (isInsideHolder(call, limit)) {
				return true;
			}
			if (limit.tryAcquire()) {
				call.holdsPermit = true;
				return true;
			}
			CallStack.settle();
			call.ticket = limit.enter(false);
		}
		call.holdsPermit = takes(call, call.ticket);
		return call.holdsPermit;
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
		CallPermits breaker = call.settings().breaker();
		if (breaker == null || isInsideProbe(call, breaker)) {
			return Permit.UNCOUNTED;
		}
		if (breaker instanceof CircuitBreaker own) {
			if (own.state() != BreakerState.HALF_OPEN) {
				return own.tryAcquire(now);
			}
			// made before the probe is taken, since a later call may overflow the stack
			AttemptContext context = call.context();
			context.probe = own.tryAcquire(now);
			return context.probe;
		}
		Permit permit = breaker.tryAcquire(now);
		if (permit != null && permit.covers(breaker)) {
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

	/**
	 * Note the end of an attempt that was not good enough. An answer is a success of the
	 * dependency, whatever it says; what says nothing about it is not counted.
	 */
	void ended(CallState call, Permit permit, Outcome outcome, long nanos, long now) {
		boolean held = call.settings().pace() != null && isHeld(call, outcome, call.settings().pace(), now);
		switch (held ? Verdict.IGNORED : outcome.verdict()) {
			case ANSWERED -> permit.succeeded(nanos, now);
			case FAILED -> permit.failed(nanos, now, outcome.failure());
			case IGNORED -> permit.released();
		}
		call.permitGivenBack();
		noteTimeout(call, outcome);
	}

	/* Tell the pace; return whether the server has told when to come back. */
	private static boolean isHeld(CallState call, Outcome outcome, Pace pace, long now) {
		if (outcome.failure() == null) {
			pace.succeeded(call.attemptStart, now);
		}
		if (outcome.kind() != AttemptOutcome.THROTTLED) {
			return false;
		}
		Duration hint = call.settings().policy().isRetryAfterEnabled() ? outcome.hint() : null;
		pace.throttled(call.attemptStart, (hint != null) ? Nanos.of(hint) : 0, now);
		return hint != null;
	}

	/* The attempts around it time out with it, so that none of them counts it again. */
	private void noteTimeout(CallState call, Outcome outcome) {
		RetryBudget.Withdrawals withdrawals = call.history().withdrawals(this.budget);
		if (withdrawals != null && withdrawals.isAfterTimeout() && outcome.isTimeout()) {
			AttemptContext context = call.contextIfAny();
			withdrawals.timedOut(context == null || !context.isStruck(withdrawals.budget()));
			for (CallState around = call.around(); around != null; around = around.around()) {
				around.context().noteStrike(withdrawals.budget());
			}
		}
	}

	/** Give back the permits of an attempt that does not count. */
	void released(CallState call, Permit permit) {
		permit.released();
		call.permitGivenBack();
	}

	/** Note the end of an attempt that succeeded, and with it the call at once. */
	void succeededOnFirstAttempt(CallState call, Permit permit, long nanos, long now) {
		if (permit != Permit.UNCOUNTED) {
			permit.succeeded(nanos, now);
		}
		if (permit != Permit.UNCOUNTED || call.holdsPermit) {
			call.permitGivenBack();
		}
		if (this.budget != null) {
			this.budget.deposit();
		}
		if (call.settings().pace() != null) {
			call.settings().pace().succeeded(now - nanos, now);
		}
	}

	/** Return what the breaker says before an attempt. */
	DecisionInput.Breaker answer(CallState call, long now) {
		CallPermits breaker = call.settings().breaker();
		return (breaker == null || breaker.isPermitting(now)) ? DecisionInput.Breaker.PERMITTING : refusal(call, now);
	}

	/** Return what the breaker says when it has refused an attempt. */
	DecisionInput.Breaker refusal(CallState call, long now) {
		CallPermits breaker = call.settings().breaker();
		return (breaker == null) ? DecisionInput.Breaker.PERMITTING : new DecisionInput.Breaker(breaker.name(), false,
				this.isDurable || breaker.isAwaited(), breaker.nanosToPermit(now));
	}

	/** Return what the breaker throws for a call that made no attempt, or null. */
	@Nullable CircuitOpenException rejection(CallState call, long now) {
		CallPermits breaker = call.settings().breaker();
		return (breaker != null && !this.isDurable) ? breaker.rejection(now) : null;
	}

}
