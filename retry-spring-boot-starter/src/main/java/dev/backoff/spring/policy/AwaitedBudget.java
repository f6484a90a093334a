package dev.backoff.spring.policy;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.backoff.RetryPolicy;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.spring.policy.PolicyLevels.Ranked;
import dev.backoff.time.Nanos;

/** Whether a budget that retries wait for can ever pay for them. */
final class AwaitedBudget {

	private final RetryPolicy policy;

	private final BudgetEntry budget;

	private AwaitedBudget(RetryPolicy policy, BudgetEntry budget) {
		this.policy = policy;
		this.budget = budget;
	}

	/** Return the budget of a policy whose retries wait for it, or null. */
	static @Nullable AwaitedBudget of(RetryPolicy policy, @Nullable BudgetEntry budget) {
		boolean awaited = policy.isPostponedWhenEmpty() && policy.isEnabled() && policy.maxAttempts() > 1;
		return (awaited && budget != null) ? new AwaitedBudget(policy, budget) : null;
	}

	/** Report a budget that never pays, or never again. */
	void check(PolicyValues values) {
		Ranked written = values.written(PolicyKey.WHEN_EMPTY);
		if (written == null) {
			return;
		}
		BudgetSettings settings = this.budget.settings();
		if (settings.tokens() == 0) {
			report(values, written, "never pays: its tokens are 0 (" + origins(BudgetKey.TOKENS) + ")", "tokens");
		}
		else if (settings.perSecond() == 0 && settings.perSuccess() == 0 && isCharged(settings)) {
			report(values, written, "is never filled again: its per-second and per-success are 0 ("
					+ origins(BudgetKey.PER_SECOND, BudgetKey.PER_SUCCESS) + ")", "per-second");
		}
	}

	private void report(PolicyValues values, Ranked written, String why, String raised) {
		values.conflict(written.value(),
				"would hold a call until the application stops, because the budget " + this.budget.name() + " " + why,
				"Write when-empty: stop, or raise " + raised + ".");
	}

	private String origins(BudgetKey... keys) {
		return Stream.of(keys)
			.map(this.budget.values()::get)
			.map(EffectivePolicy.Value::origin)
			.distinct()
			.collect(Collectors.joining(", "));
	}

	private static boolean isCharged(BudgetSettings settings) {
		return settings.transientCost() > 0 || settings.throttledCost() > 0;
	}

	/** Advise a deadline where only successes end the wait. */
	void advise(List<String> advice) {
		BudgetSettings settings = this.budget.settings();
		if (settings.perSecond() == 0 && isCharged(settings) && this.policy.deadlineNanos() == Nanos.UNLIMITED) {
			advice.add("a call waits for the budget " + this.budget.name()
					+ " as long as none succeeds, for its per-second is 0: set a deadline");
		}
	}

}
