package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.budget.RetryBudget;

/**
 * What a decision depends on. Times are nanoseconds.
 *
 * @param outcome how the last attempt ended, or null before the first attempt here
 * @param postponed how many waits since then were followed by no attempt
 * @param previousDelay the part of the last wait that the policy's rule chose, or 0
 * @param paid whether the retry was paid before its wait, after which the breaker refused
 * it
 * @param waitedForBudget whether the last wait was for the budget, or a stored call is to
 * pay
 * @param attemptNanos how long the last attempt took
 * @param finalPoll whether the final poll before the deadline has been asked
 * @param timeLeft the time until the deadline, negative after it
 * @param shutDown whether the application is shutting down
 * @param paced whether a retry after a refusal with a hint waits for its turn
 * @param withdrawals pay for a retry, or null if retries cost nothing
 */
record DecisionInput(@Nullable Outcome outcome, int attempt, int postponed, long previousDelay, boolean paid,
		boolean waitedForBudget, long attemptNanos, boolean finalPoll, long timeLeft, boolean shutDown, Breaker breaker,
		boolean paced, RetryBudget.@Nullable Withdrawals withdrawals) {

	/**
	 * What a breaker says of the next attempt.
	 *
	 * @param permitting whether the attempt would get a permit
	 * @param awaited whether a call that is refused waits
	 * @param untilPermit the time until a permit may be had, or 0 if that is unknown
	 */
	record Breaker(String name, boolean permitting, boolean awaited, long untilPermit) {

		/** Of a breaker that is closed, or of none. */
		static final Breaker PERMITTING = new Breaker("", true, false, 0);

	}

}
