package dev.backoff.spring.configuration;

import java.math.BigDecimal;
import java.math.MathContext;
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
			else if (builtIn != null) {
				effective.put(key, EffectiveValue.builtIn(builtIn));
			}
		}
		BudgetSettings settings = new BudgetAssembler(entry.values(), instances, problems).settings();
		if (instances > 1) {
			Map.of(BudgetKey.TOKENS, settings.tokens(), BudgetKey.PER_SECOND, settings.perSecond())
				.forEach((key, share) -> effective.computeIfPresent(key, (same, all) -> new EffectiveValue(plain(share),
						all.text() + " for " + instances + " instances: " + all.origin())));
		}
		return new BudgetEntry(entry.name(), settings, Collections.unmodifiableMap(effective));
	}

	private BudgetSettings settings() {
		int before = this.problems.size();
		this.written.values().forEach((value) -> this.problems.addAll(value.problems()));
		double tokens = ConfigValue.<Double>read(this.written, BudgetKey.TOKENS);
		ConfigValue writtenTokens = this.written.get(BudgetKey.TOKENS);
		if (writtenTokens != null && tokens > 0 && tokens < 1) {
			this.problems
				.add(writtenTokens.problem("must not be below the cost of a retry (1), or no retry could ever be paid",
						"Raise it; 0 allows no retry."));
		}
		return (this.problems.size() > before) ? BudgetSettings.DEFAULTS
				: new BudgetSettings(share(tokens), ConfigValue.<Double>read(this.written, BudgetKey.PER_SUCCESS),
						ConfigValue.<Double>read(this.written, BudgetKey.PER_SECOND) / this.instances);
	}

	private double share(double tokens) {
		return (this.instances > 1) ? Math.max(Math.min(tokens, LEAST_SHARE), Math.floor(tokens / this.instances))
				: tokens;
	}

	private static String plain(double number) {
		return new BigDecimal(number, new MathContext(3)).stripTrailingZeros().toPlainString();
	}

}
