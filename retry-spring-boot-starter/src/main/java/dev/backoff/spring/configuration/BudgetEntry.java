package dev.backoff.spring.configuration;

import java.util.Map;

import dev.backoff.budget.BudgetSettings;

/**
 * One budget of the configuration, or one with the numbers that are built in. Immutable.
 *
 * @param name its name as it is written below {@code backoff.budgets}, else as its first
 * user writes it; environment variables have only its letters and digits
 * @param settings its numbers
 * @param values the values in effect with their origins, in the order of the keys
 * @since 0.1
 */
public record BudgetEntry(String name, BudgetSettings settings, Map<BudgetKey, EffectiveValue> values) {

	/** Return the same numbers under another name. */
	BudgetEntry withName(String name) {
		return new BudgetEntry(name, this.settings, this.values);
	}

}
