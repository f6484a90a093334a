package dev.backoff.spring.policy;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.backoff.budget.BudgetSettings;

/** Make one budget of the values below its name, or say which of them cannot work. */
final class BudgetAssembler {

	/* Each policy without a budget of its own asks for it. */
	private static final BudgetEntry BUILT_IN = assemble("", false, Map.of(), new ArrayList<>());

	private final EntryValues<BudgetKey> values;

	private final List<Problem> problems;

	private BudgetAssembler(EntryValues<BudgetKey> values, List<Problem> problems) {
		this.values = values;
		this.problems = problems;
	}

	/** Return the budget; values that cannot work are reported and left out. */
	static BudgetEntry assemble(String name, boolean spelled, Map<BudgetKey, ConfigValue> written,
			List<Problem> problems) {
		EntryValues<BudgetKey> values = new EntryValues<>(BudgetKey.class, written, problems);
		return new BudgetEntry(name, spelled, new BudgetAssembler(values, problems).settings(), values.effective());
	}

	/** Return a budget with the numbers that are built in. */
	static BudgetEntry builtIn(String name) {
		return BUILT_IN.withName(name);
	}

	private BudgetSettings settings() {
		int before = this.problems.size();
		BudgetSettings defaults = BudgetSettings.DEFAULTS;
		double tokens = this.values.read(BudgetKey.TOKENS, (text) -> OverloadValues.tokens(text, BudgetSettings.MOST),
				defaults.tokens(), plain(defaults.tokens()));
		double perSuccess = number(BudgetKey.PER_SUCCESS, BudgetSettings.MOST, defaults.perSuccess());
		double perSecond = number(BudgetKey.PER_SECOND, BudgetSettings.MOST_PER_SECOND, defaults.perSecond());
		double transientCost = number(BudgetKey.COST_TRANSIENT, BudgetSettings.MOST, defaults.transientCost());
		double throttledCost = number(BudgetKey.COST_THROTTLED, BudgetSettings.MOST, defaults.throttledCost());
		boolean refund = this.values.read(BudgetKey.REFUND, TextValues::flag, defaults.refund(), "false");
		if (this.problems.size() == before && tokens > 0) {
			checkCost(BudgetKey.COST_TRANSIENT, transientCost, tokens);
			checkCost(BudgetKey.COST_THROTTLED, throttledCost, tokens);
		}
		return (this.problems.size() > before) ? defaults
				: new BudgetSettings(tokens, perSuccess, perSecond, transientCost, throttledCost, refund);
	}

	private double number(BudgetKey key, int most, double otherwise) {
		return this.values.read(key, (text) -> OverloadValues.number(text, most), otherwise, plain(otherwise));
	}

	private void checkCost(BudgetKey key, double cost, double tokens) {
		ConfigValue writtenCost = this.values.written(key);
		ConfigValue writtenTokens = this.values.written(BudgetKey.TOKENS);
		if (cost <= tokens) {
			return;
		}
		if (writtenCost != null) {
			this.problems.add(writtenCost.problem(
					"must not be above tokens (" + plain(tokens) + "), or no retry could ever be paid",
					"Lower it, or raise tokens (" + this.values.origin(BudgetKey.TOKENS) + ")."));
		}
		else if (writtenTokens != null) {
			this.problems.add(writtenTokens.problem(
					"must not be below the cost of a retry (" + plain(cost) + "), or no retry could ever be paid",
					"Raise it, or lower cost (" + this.values.origin(key) + "); 0 allows no retry."));
		}
	}

	private static String plain(double number) {
		return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
	}

}
