package dev.backoff.spring.configuration;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import dev.backoff.budget.BudgetSettings;

/** Make one budget of the values below its name, and report those that cannot work. */
final class BudgetAssembler {

	/*
	 * A bucket is not divided below it, so that a process with few calls keeps its
	 * retries.
	 */
	private static final int LEAST_SHARE = 5;

	private final Map<BudgetKey, ConfigValue> written;

	private final int instances;

	private final List<Problem> problems;

	private BudgetAssembler(Map<BudgetKey, ConfigValue> written, int instances, List<Problem> problems) {
		this.written = written;
		this.instances = instances;
		this.problems = problems;
	}

	/** Return a budget with the numbers that are built in, for one of many processes. */
	static BudgetEntry builtIn(int instances) {
		return assemble(new Section.Entry<BudgetKey>("", Map.of()), instances, new ArrayList<>());
	}

	/**
	 * Return the budget of one of many processes; values that cannot work are reported
	 * and left out.
	 */
	static BudgetEntry assemble(Section.Entry<BudgetKey> entry, int instances, List<Problem> problems) {
		Map<BudgetKey, EffectiveValue> effective = new EnumMap<>(BudgetKey.class);
		for (BudgetKey key : BudgetKey.values()) {
			ConfigValue value = entry.values().get(key);
			String builtIn = key.builtInText();
			if (value != null) {
				effective.put(key, value.shown());
			}
			else if (builtIn != null && key.meant().size() == 1) {
				effective.put(key, EffectiveValue.builtIn(builtIn));
			}
		}
		BudgetSettings settings = new BudgetAssembler(entry.values(), instances, problems).settings();
		if (instances > 1) {
			effective.computeIfPresent(BudgetKey.TOKENS, (key, tokens) -> new EffectiveValue(plain(settings.tokens()),
					tokens.text() + " for " + instances + " instances: " + tokens.origin()));
		}
		return new BudgetEntry(entry.name(), settings, Collections.unmodifiableMap(effective));
	}

	private BudgetSettings settings() {
		int before = this.problems.size();
		this.written.values().forEach((value) -> this.problems.addAll(value.problems()));
		double tokens = ConfigValue.<Double>read(this.written, BudgetKey.TOKENS);
		double transientCost = ConfigValue.<Double>read(this.written, BudgetKey.COST_TRANSIENT);
		double throttledCost = ConfigValue.<Double>read(this.written, BudgetKey.COST_THROTTLED);
		if (this.problems.size() == before && tokens > 0) {
			checkCost(BudgetKey.COST_TRANSIENT, transientCost, tokens);
			checkCost(BudgetKey.COST_THROTTLED, throttledCost, tokens);
		}
		return (this.problems.size() > before) ? BudgetSettings.DEFAULTS
				: new BudgetSettings(share(tokens, Math.max(transientCost, throttledCost)),
						ConfigValue.<Double>read(this.written, BudgetKey.PER_SUCCESS),
						ConfigValue.<Double>read(this.written, BudgetKey.PER_SECOND), transientCost, throttledCost,
						ConfigValue.<Boolean>read(this.written, BudgetKey.REFUND));
	}

	/* At least what one retry costs. */
	private double share(double tokens, double cost) {
		double least = Math.min(tokens, Math.max(LEAST_SHARE, cost));
		return (this.instances > 1) ? Math.max(least, Math.floor(tokens / this.instances)) : tokens;
	}

	private void checkCost(BudgetKey key, double cost, double tokens) {
		ConfigValue writtenCost = this.written.get(key);
		ConfigValue writtenTokens = this.written.get(BudgetKey.TOKENS);
		if (cost <= tokens) {
			return;
		}
		if (writtenCost != null) {
			this.problems.add(writtenCost.problem(
					"must not be above tokens (" + plain(tokens) + "), or no retry could ever be paid",
					"Lower it, or raise tokens (" + ConfigValue.origin(this.written, BudgetKey.TOKENS) + ")."));
		}
		else if (writtenTokens != null) {
			this.problems.add(writtenTokens.problem(
					"must not be below the cost of a retry (" + plain(cost) + "), or no retry could ever be paid",
					"Raise it, or lower cost (" + ConfigValue.origin(this.written, key) + "); 0 allows no retry."));
		}
	}

	private static String plain(double number) {
		return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
	}

}
