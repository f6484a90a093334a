package dev.backoff.simulator;

import dev.backoff.budget.RetryBudget;

/**
 * A change of a caller's budget at the beginning of each call, to compare other ways of
 * filling a budget. Each caller has its own feed.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface BudgetFeed {

	/**
	 * Change the budget at the beginning of a call.
	 * @param budget the budget of its caller
	 * @param now nanoseconds
	 */
	void begins(RetryBudget budget, long now);

}
