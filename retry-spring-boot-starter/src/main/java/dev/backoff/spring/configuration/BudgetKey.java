package dev.backoff.spring.configuration;

import java.util.function.Function;

import dev.backoff.budget.BudgetSettings;

/**
 * The keys of a budget, which {@link BackoffProperties.Budget} describes, with their
 * parsers and defaults.
 *
 * @since 0.1
 */
public enum BudgetKey implements ConfigurationKey {

	TOKENS((text) -> OverloadValues.tokens(text, BudgetSettings.MOST), "50"),

	PER_SUCCESS((text) -> OverloadValues.number(text, BudgetSettings.MOST), "0.1"),

	PER_SECOND((text) -> OverloadValues.number(text, BudgetSettings.MOST_PER_SECOND), "0.1");

	@SuppressWarnings("ImmutableEnumChecker") // parsers have no state
	private final ValueType type;

	BudgetKey(Function<String, ?> parser, String builtIn) {
		this.type = ValueType.of(parser, builtIn);
	}

	@Override
	public ValueType type() {
		return this.type;
	}

}
