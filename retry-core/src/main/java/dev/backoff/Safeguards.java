package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.breaker.CircuitBreaker.Verdict;
import dev.backoff.budget.RetryBudget;
import dev.backoff.policy.DegradedMode;

/**
 * What a method's calls share with others, so that together they do not make an overload
 * worse.
 *
 * @param breaker permits attempts
 * @param budget pays for retries, or null without a limit to their number
 * @param degraded tells whether delays are raised, or null if they never are
 * @param waiting the calls that wait, to be woken by a shutdown
 */
record Safeguards(BreakerGate breaker, @Nullable RetryBudget budget, @Nullable DegradedMode degraded,
		WaitingCalls waiting) {

	/** Note the end of an attempt that was not good enough. */
	void ended(Permit permit, Outcome outcome, long nanos, long now) {
		this.breaker.ended(permit, outcome, nanos, now);
		Verdict verdict = BreakerGate.verdict(outcome);
		if (this.degraded != null && verdict != Verdict.IGNORED) {
			this.degraded.record(verdict == Verdict.FAILED, now);
		}
	}

	/** Note the end of an attempt that succeeded, and with it the call at once. */
	void succeededAtOnce(Permit permit, long nanos, long now) {
		this.breaker.succeeded(permit, nanos, now);
		if (this.degraded != null) {
			this.degraded.record(false, now);
		}
		if (this.budget != null) {
			this.budget.deposit();
		}
	}

	/** Note that a call succeeded after other attempts. */
	void succeeded(RetryCall call) {
		if (this.budget != null) {
			RetryBudget.Cost paid = call.paid();
			if (paid != null) {
				this.budget.depositAfterRetry(paid);
			}
			else {
				this.budget.deposit();
			}
		}
	}

	/** Return whether delays are raised. */
	boolean isDegraded(long now) {
		return this.degraded != null && this.degraded.isDegraded(now);
	}

}
