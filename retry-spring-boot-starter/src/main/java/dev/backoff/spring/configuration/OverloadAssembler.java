package dev.backoff.spring.configuration;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.spring.configuration.BackoffConfiguration.NamedSettings;
import dev.backoff.time.DurationText;
import dev.backoff.window.OutcomeWindow.WindowLength;

/** Make breakers and budgets; values that cannot work are reported and left out. */
final class OverloadAssembler {

	/* With the numbers that are built in, for breakers that are not defined. */
	static final NamedSettings<BreakerSettings> BREAKER = breaker(new Section.Entry("", Map.of()), new ArrayList<>());

	private OverloadAssembler() {
	}

	static NamedSettings<BreakerSettings> breaker(Section.Entry entry, List<Problem> problems) {
		Map<Key<?>, ConfigValue> written = entry.values();
		BreakerSettings.Builder builder = BreakerSettings.builder();
		written.forEach((key, value) -> key.set(builder, value));
		Map<Key<?>, EffectiveValue> effective = effective(BreakerKey.KEYS, written, problems);
		effective.putIfAbsent(BreakerKey.HALF_OPEN_TIMEOUT,
				EffectiveValue.builtIn(DurationText.exact(BreakerKey.OPEN_FOR.in(written))));
		checkSlowCallRate(written, problems);
		checkWindow(written, builder, problems);
		return new NamedSettings<>(entry.name(), builder.build(), Collections.unmodifiableMap(effective));
	}

	/** Put the values of keys into effect; those that cannot be read are reported. */
	private static Map<Key<?>, EffectiveValue> effective(List<Key<?>> keys, Map<Key<?>, ConfigValue> written,
			List<Problem> problems) {
		Map<Key<?>, EffectiveValue> effective = new TreeMap<>();
		for (Key<?> key : keys) {
			ConfigValue value = written.get(key);
			String builtIn = key.builtInText();
			if (value != null) {
				problems.addAll(value.problems());
				effective.put(key, value.shown());
			}
			else if (builtIn != null) {
				effective.put(key, EffectiveValue.builtIn(builtIn));
			}
		}
		return effective;
	}

	/* The share may stay where slow-call: none switches slow calls off. */
	private static void checkSlowCallRate(Map<Key<?>, ConfigValue> written, List<Problem> problems) {
		ConfigValue rate = written.get(BreakerKey.SLOW_CALL_RATE);
		if (rate != null && rate.problems().isEmpty() && !written.containsKey(BreakerKey.SLOW_CALL)) {
			problems.add(rate.problem("has no effect without slow-call",
					"Add slow-call, what a call must exceed to be slow, such as 2s, or remove it."));
		}
	}

	private static void checkWindow(Map<Key<?>, ConfigValue> values, BreakerSettings.Builder builder,
			List<Problem> problems) {
		int minimum = BreakerKey.MINIMUM_CALLS.in(values);
		WindowLength window = BreakerKey.WINDOW.in(values);
		ConfigValue written = values.get(BreakerKey.WINDOW);
		if (written != null && window.time() == null && window.calls() < minimum) {
			problems.add(written.problem("must not be below minimum-calls (" + minimum + "), or it never opens",
					"Raise it, or lower minimum-calls (" + ConfigValue.origin(values, BreakerKey.MINIMUM_CALLS)
							+ ")."));
			builder.window(WindowLength.ofCalls(minimum));
		}
	}

	/** Return the budget of one of many processes. */
	static NamedSettings<BudgetSettings> budget(Section.Entry entry, int instances, List<Problem> problems) {
		Map<Key<?>, ConfigValue> written = entry.values();
		List<Problem> found = new ArrayList<>();
		Map<Key<?>, EffectiveValue> effective = effective(BudgetKey.KEYS, written, found);
		double tokens = BudgetKey.TOKENS.in(written);
		ConfigValue writtenTokens = written.get(BudgetKey.TOKENS);
		if (writtenTokens != null && tokens > 0 && tokens < 1) {
			found.add(writtenTokens.problem("must not be below the cost of a retry (1), or no retry could ever be paid",
					"Raise it; 0 allows no retry."));
		}
		problems.addAll(found);
		BudgetSettings settings = !found.isEmpty() ? BudgetSettings.DEFAULTS
				: new BudgetSettings(tokens, BudgetKey.PER_SUCCESS.in(written), BudgetKey.PER_SECOND.in(written))
					.share(instances);
		if (instances > 1) {
			Map.of(BudgetKey.TOKENS, settings.tokens(), BudgetKey.PER_SECOND, settings.perSecond())
				.forEach((key, share) -> effective.computeIfPresent(key,
						(same, whole) -> new EffectiveValue(EffectiveValue.number(share), whole.level().adjusted(),
								whole.value() + " for " + instances + " instances: " + whole.origin())));
		}
		return new NamedSettings<>(entry.name(), settings, Collections.unmodifiableMap(effective));
	}

}
