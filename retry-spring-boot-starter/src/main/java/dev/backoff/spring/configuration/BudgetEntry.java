package dev.backoff.spring.configuration;

import java.util.Map;

import dev.backoff.budget.BudgetSettings;

/**
 * One budget of the configuration, or one with the numbers that are built in. Its name is
 * written as below {@code backoff.budgets}, else as by its first user. Immutable.
 *
 * @since 0.1
 */
public record BudgetEntry(String name, BudgetSettings settings, Map<BudgetKey, EffectiveValue> values) {

	/** Return the same numbers under another name. */
	BudgetEntry withName(String name) {
		return new BudgetEntry(name, this.settings, this.values);
	}

}
