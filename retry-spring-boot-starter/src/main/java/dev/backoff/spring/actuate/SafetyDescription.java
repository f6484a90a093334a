package dev.backoff.spring.actuate;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.RetryBudget;
import dev.backoff.spring.actuate.BackoffDescriptor.BreakerDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.BudgetDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.ValueDescriptor;
import dev.backoff.spring.policy.BackoffConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.BackoffProperties.BreakerProvider;
import dev.backoff.spring.policy.BreakerEntry;
import dev.backoff.spring.policy.BreakerKey;
import dev.backoff.spring.policy.BudgetEntry;
import dev.backoff.spring.policy.BudgetKey;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.PolicyUse;
import dev.backoff.spring.safety.OverloadSafety;

/** Describes what calls share, and the state it is in. */
final class SafetyDescription {

	private static final double MILLI = 1_000_000;

	private final BackoffPolicies policies;

	private final OverloadSafety safety;

	private final List<PolicyUse> uses;

	SafetyDescription(BackoffPolicies policies, OverloadSafety safety, List<PolicyUse> uses) {
		this.policies = policies;
		this.safety = safety;
		this.uses = uses;
	}

	Map<String, BudgetDescriptor> budgets() {
		BackoffConfiguration configuration = this.policies.configuration();
		List<String> unused = this.policies.unusedBudgets();
		Map<String, BudgetDescriptor> described = new TreeMap<>();
		for (RetryBudget budget : this.safety.budgets().all()) {
			described.put(budget.name(), budget(configuration.budget(budget.name()), budget, false));
		}
		for (BudgetEntry entry : configuration.budgets().values()) {
			if (this.safety.budgets().find(entry.name()).isEmpty()) {
				described.put(entry.name(), budget(entry, null, unused.contains(entry.name())));
			}
		}
		return described;
	}

	private BudgetDescriptor budget(BudgetEntry entry, @Nullable RetryBudget budget, boolean unused) {
		List<String> users = users(entry.name(), EffectivePolicy::budget);
		Map<String, ValueDescriptor> values = values(entry.values(), BudgetKey::key);
		double tokens = entry.settings().tokens();
		return (budget != null) ? new BudgetDescriptor(unused, users, budget.balance(), tokens, budget.refused(),
				budget.isDry(), values) : new BudgetDescriptor(unused, users, null, tokens, null, null, values);
	}

	Map<String, BreakerDescriptor> breakers() {
		BackoffConfiguration configuration = this.policies.configuration();
		List<String> unused = this.policies.unusedBreakers();
		Map<String, BreakerDescriptor> described = new TreeMap<>();
		for (BreakerEntry entry : configuration.breakers().values()) {
			described.put(entry.name(), breaker(entry, unused.contains(entry.name())));
		}
		for (CircuitBreaker breaker : this.safety.breakers().all()) {
			if (!configuration.breakers().containsKey(BackoffPolicies.canonicalName(breaker.name()))) {
				described.put(breaker.name(), breaker(configuration.breaker(breaker.name()), false));
			}
		}
		return described;
	}

	private BreakerDescriptor breaker(BreakerEntry entry, boolean unused) {
		String provider = entry.provider().name().toLowerCase(Locale.ROOT);
		List<String> users = users(entry.name(), EffectivePolicy::breaker);
		Map<String, ValueDescriptor> values = values(entry.values(), BreakerKey::key);
		String state = this.safety.state(entry);
		CircuitBreaker own = (entry.provider() == BreakerProvider.OWN)
				? this.safety.breakers().find(entry.name()).orElse(null) : null;
		if (own == null) {
			return new BreakerDescriptor(unused, provider, users, state, null, null, null, null, null, values);
		}
		Duration timeToProbe = own.timeToProbe();
		return new BreakerDescriptor(unused, provider, users, state, number(own.failureRate()),
				number(own.slowCallRate()), own.counts().total(), own.rejected(),
				(timeToProbe != null) ? timeToProbe.toNanos() / MILLI : null, values);
	}

	private List<String> users(String name, Function<EffectivePolicy, @Nullable String> reference) {
		return this.uses.stream()
			.map(PolicyUse::policy)
			.filter((policy) -> isSame(reference.apply(policy), name))
			.map(EffectivePolicy::name)
			.distinct()
			.sorted()
			.toList();
	}

	private static boolean isSame(@Nullable String reference, String name) {
		return reference != null
				&& BackoffPolicies.canonicalName(reference).equals(BackoffPolicies.canonicalName(name));
	}

	private static @Nullable Double number(OptionalDouble number) {
		return number.isPresent() ? number.getAsDouble() : null;
	}

	private static <K> Map<String, ValueDescriptor> values(Map<K, EffectivePolicy.Value> values,
			Function<K, String> names) {
		Map<String, ValueDescriptor> described = new LinkedHashMap<>();
		values.forEach(
				(key, value) -> described.put(names.apply(key), new ValueDescriptor(value.text(), value.origin())));
		return described;
	}

}
