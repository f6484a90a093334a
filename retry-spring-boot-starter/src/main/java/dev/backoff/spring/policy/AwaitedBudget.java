package dev.backoff.spring.policy;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.Nanos;

/** Whether a budget that retries wait for can ever pay for them. */
final class AwaitedBudget {

	private final RetryPolicy policy;

	private final BudgetEntry budget;

	private AwaitedBudget(RetryPolicy policy, BudgetEntry budget) {
		this.policy = policy;
		this.budget = budget;
	}

	/** Return the budget if the retries of a policy wait for it, else null. */
	static @Nullable AwaitedBudget of(RetryPolicy policy, @Nullable BudgetEntry budget) {
		boolean awaited = policy.isPostponedWhenEmpty() && policy.isEnabled() && policy.maxAttempts() > 1;
		return (awaited && budget != null) ? new AwaitedBudget(policy, budget) : null;
	}

	/** Advise against a budget that never pays: retries do not wait for it. */
	void advise(List<String> advice) {
		BudgetSettings settings = this.budget.settings();
		if (settings.tokens() == 0) {
			advice.add(withoutEffect() + "never pays: its tokens are 0 (" + origins(BudgetKey.TOKENS) + ")");
		}
		else if (isCharged(settings) && settings.perSecond() == 0 && settings.perSuccess() == 0) {
			advice.add(withoutEffect() + "is never filled again: its per-second and per-success are 0 ("
					+ origins(BudgetKey.PER_SECOND, BudgetKey.PER_SUCCESS) + ")");
		}
		else if (isCharged(settings) && settings.perSecond() == 0 && this.policy.deadlineNanos() == Nanos.UNLIMITED) {
			advice.add("a call waits for the budget " + this.budget.name()
					+ " as long as none succeeds, for its per-second is 0: set a deadline");
		}
	}

	private String withoutEffect() {
		return "when-empty: wait has no effect, because the budget " + this.budget.name() + " ";
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

}
