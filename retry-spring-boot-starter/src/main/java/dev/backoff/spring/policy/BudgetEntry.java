package dev.backoff.spring.policy;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

import dev.backoff.budget.BudgetSettings;

/**
 * One budget of the configuration, or one with the numbers that are built in. Immutable.
 *
 * @param name its name as it is written below {@code backoff.budgets}, else as its first
 * user writes it; environment variables have only its letters and digits
 * @param spelled whether the name is written below {@code backoff.budgets}
 * @param settings its numbers
 * @param values the values in effect with their origins, in the order of the keys
 * @since 0.1
 */
public record BudgetEntry(String name, boolean spelled, BudgetSettings settings,
		Map<BudgetKey, EffectivePolicy.Value> values) {

	/**
	 * Make an entry.
	 * @param name its name
	 * @param spelled whether the name is written in its section
	 * @param settings its numbers
	 * @param values the values in effect, copied
	 */
	public BudgetEntry {
		Map<BudgetKey, EffectivePolicy.Value> copy = new EnumMap<>(BudgetKey.class);
		copy.putAll(values);
		values = Collections.unmodifiableMap(copy);
	}

	BudgetEntry withName(String name) {
		return new BudgetEntry(name, this.spelled, this.settings, this.values);
	}

}
