package dev.backoff.spring.configuration;

import java.util.function.Function;

import dev.backoff.budget.BudgetSettings;

/** The keys of a budget, with their parsers and defaults. @since 0.1 */
public enum BudgetKey implements ConfigurationKey {

	/** Tokens in a full bucket. */
	TOKENS("tokens", (text) -> OverloadValues.tokens(text, BudgetSettings.MOST), "50"),

	/** Tokens that a successful call puts back. */
	PER_SUCCESS("per-success", (text) -> OverloadValues.number(text, BudgetSettings.MOST), "0.1"),

	/** Tokens that each second puts back. */
	PER_SECOND("per-second", (text) -> OverloadValues.number(text, BudgetSettings.MOST_PER_SECOND), "0.1");

	private final String key;

	@SuppressWarnings("ImmutableEnumChecker") // parsers have no state
	private final ValueType type;

	BudgetKey(String key, Function<String, ?> parser, String builtIn) {
		this.key = key;
		this.type = ValueType.of(parser, builtIn);
	}

	/** Return the key below the budget's name, for instance {@code per-success}. */
	@Override
	public String key() {
		return this.key;
	}

	@Override
	public ValueType type() {
		return this.type;
	}

}
