package dev.backoff.spring.configuration;

import java.util.ArrayList;
import java.util.List;

import dev.backoff.budget.BudgetSettings;

/**
 * The keys of a budget, which {@link BackoffProperties.Budget} describes, with their
 * parsers and defaults.
 *
 * @since 0.1
 */
public final class BudgetKey {

	static final List<Key<?>> KEYS = new ArrayList<>();

	public static final Key<Double> TOKENS = Key.of(KEYS, "tokens",
			(text) -> OverloadValues.tokens(text, BudgetSettings.MOST), "50");

	static final Key<Double> PER_SUCCESS = Key.of(KEYS, "per-success",
			(text) -> OverloadValues.number(text, BudgetSettings.MOST), "0.1");

	static final Key<Double> PER_SECOND = Key.of(KEYS, "per-second",
			(text) -> OverloadValues.number(text, BudgetSettings.MOST_PER_SECOND), "0.1");

	private BudgetKey() {
	}

}
