package dev.backoff.simulator;

import dev.backoff.budget.RetryBudget;

/**
 * Change the budget of a caller at each call that begins, to compare other ways of
 * filling one. Each caller has its own.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface BudgetFeed {

	/**
	 * A call begins.
	 * @param budget the budget of its caller
	 * @param now nanoseconds
	 */
	void begins(RetryBudget budget, long now);

}
