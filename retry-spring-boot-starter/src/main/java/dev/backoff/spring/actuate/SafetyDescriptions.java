package dev.backoff.spring.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.BackoffConfiguration.NamedSettings;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Name;
import dev.backoff.spring.configuration.Section;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.spring.safety.OverloadSafety.BreakerChange;
import dev.backoff.window.OutcomeWindow.Counts;

/** Describe budgets and breakers, those in use and those of the configuration. */
record SafetyDescriptions(BackoffPolicies policies, OverloadSafety safety, List<PolicyUse> uses, boolean brief) {

	Map<String, BudgetDescriptor> budgets() {
		BackoffConfiguration configuration = this.policies.configuration();
		List<String> unused = this.policies.current().unused(Section.BUDGETS);
		Map<String, BudgetDescriptor> described = new TreeMap<>();
		for (RetryBudget budget : this.safety.budgets().all()) {
			described.put(budget.name(), budget(configuration.budget(budget.name()), budget, false));
		}
		for (NamedSettings<BudgetSettings> entry : configuration.budgets().values()) {
			if (this.safety.budgets().find(entry.name()).isEmpty()) {
				described.put(entry.name(), budget(entry, null, unused.contains(entry.name())));
			}
		}
		return described;
	}

	private BudgetDescriptor budget(NamedSettings<BudgetSettings> entry, @Nullable RetryBudget budget, boolean unused) {
		List<String> users = users(entry.name(), EffectivePolicy::budget);
		Map<String, EffectiveValue> values = PlanDescriptor.values(entry.values(), this.brief);
		double tokens = entry.settings().tokens();
		return (budget != null)
				? new BudgetDescriptor(unused, users, budget.balance(), tokens, budget.refused(), budget.isDry(),
						budget.strikes(), budget.barred(), values)
				: new BudgetDescriptor(unused, users, null, tokens, null, null, null, null, values);
	}

	Map<String, BreakerDescriptor> breakers() {
		BackoffConfiguration configuration = this.policies.configuration();
		List<String> unused = this.policies.current().unused(Section.BREAKERS);
		Map<String, BreakerDescriptor> described = new TreeMap<>();
		for (NamedSettings<BreakerSettings> entry : configuration.breakers().values()) {
			described.put(entry.name(), breaker(entry, unused.contains(entry.name())));
		}
		for (CircuitBreaker breaker : this.safety.breakers().all()) {
			if (!configuration.breakers().containsKey(Name.of(breaker.name()))) {
				described.put(breaker.name(), breaker(configuration.breaker(breaker.name()), false));
			}
		}
		return described;
	}

	private BreakerDescriptor breaker(NamedSettings<BreakerSettings> entry, boolean unused) {
		List<String> users = users(entry.name(), EffectivePolicy::breaker);
		Map<String, EffectiveValue> values = PlanDescriptor.values(entry.values(), this.brief);
		CircuitBreaker own = this.safety.breakers().get(entry.name());
		Duration timeToProbe = own.timeToProbe();
		Counts counts = own.counts();
		return new BreakerDescriptor(unused, users, own.state().tag(),
				(own.keys() != null) ? own.keysIn(BreakerState.OPEN) : null, number(counts.failureRate()),
				number(counts.slowRate()), counts.total(), own.rejected(),
				(timeToProbe != null) ? timeToProbe.toNanos() / PlanDescriptor.MILLI : null,
				this.safety.since(entry.name()), this.safety.changes(entry.name()), values);
	}

	private List<String> users(String name, Function<EffectivePolicy, @Nullable String> reference) {
		Name wanted = Name.of(name);
		return this.uses.stream().map(PolicyUse::policy).filter((policy) -> {
			String used = reference.apply(policy);
			return used != null && wanted.is(used);
		}).map(EffectivePolicy::name).distinct().sorted().toList();
	}

	private static @Nullable Double number(double share) {
		return Double.isNaN(share) ? null : share;
	}

	/** A budget. What it holds, has counted and is are null before its first use. */
	record BudgetDescriptor(boolean unused, List<String> policies, @Nullable Double balance, double tokens,
			@Nullable Long refused, @Nullable Boolean dry, @Nullable Double strikes, @Nullable Long barred,
			Map<String, EffectiveValue> values) implements OperationResponseBody {
	}

	/**
	 * A breaker. The calls are those of the window, of the probes, or those that opened
	 * the breaker. The open keys are null if nothing has divided it, and the state is
	 * that of calls without a key. The time to its probe is null unless the breaker is
	 * open. It has been closed, or not closed, since the given time; null if always.
	 */
	record BreakerDescriptor(boolean unused, List<String> policies, String state, @Nullable Long openKeys,
			@Nullable Double failureRate, @Nullable Double slowCallRate, long calls, long rejected,
			@Nullable Double timeToProbeMs, @Nullable String since, List<BreakerChange> changes,
			Map<String, EffectiveValue> values) implements OperationResponseBody {
	}

}
