package dev.backoff.spring.configuration;

import java.util.Map;

import dev.backoff.budget.BudgetSettings;

/**
 * A budget of the configuration, or a budget with the built-in numbers. Its name is spelt
 * as below {@code backoff.budgets}, or else as its first user spells it. Immutable.
 *
 * @since 0.1
 */
public record BudgetEntry(String name, BudgetSettings settings, Map<Key<?>, EffectiveValue> values) {

	/** Return the same numbers under another name. */
	BudgetEntry withName(String name) {
		return new BudgetEntry(name, this.settings, this.values);
	}

}
