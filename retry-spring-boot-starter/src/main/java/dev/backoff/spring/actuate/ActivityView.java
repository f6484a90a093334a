package dev.backoff.spring.actuate;

import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.core.env.PropertyResolver;

import dev.backoff.budget.RetryBudget;
import dev.backoff.spring.actuate.ActivityDescriptions.CountersDescriptor;
import dev.backoff.spring.actuate.ActivityDescriptions.StoppedDescriptor;
import dev.backoff.spring.actuate.ActivityDescriptions.WaitingDescriptor;
import dev.backoff.spring.actuate.PolicyDescriptions.OverrideDescriptor;
import dev.backoff.spring.actuate.SafetyDescriptions.BreakerDescriptor;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.Name;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;
import dev.backoff.spring.safety.OverloadSafety.BreakerChange;

/** Describe counters, states and the latest calls, briefly enough for every second. */
record ActivityView(PolicyDescriptions descriptions, ThisProcess self, Set<String> views, Set<String> parts) {

	private static final int SHOWN = 20;

	private static final double HUNDREDTHS = 100;

	ActivityDescriptor describe(List<PolicyUse> uses) {
		BackoffPolicies policies = this.descriptions.policies();
		BackoffConfiguration configuration = policies.configuration();
		ActivityDescriptions activity = this.descriptions.activity();
		// without the uses, since nothing asks who uses a budget
		SafetyDescriptions shared = new SafetyDescriptions(policies, this.descriptions.safety(), List.of(), true);
		return new ActivityDescriptor(this.self.clock().instant().toString(), this.self.application(),
				this.self.writable(), this.views, this.parts, configuration.isEnabled(),
				configuration.isRetriesEnabled(), this.descriptions.overrides(),
				policies(uses, activity.now((policy) -> false)), activity.oldestWaiting(SHOWN), activity.lastStopped(),
				budgets(configuration), breakers(shared.breakers()));
	}

	private Map<String, PolicyActivity> policies(List<PolicyUse> uses,
			Function<String, ActivityDescriptions.ActivityDescriptor> activity) {
		Map<Name, String> names = new HashMap<>();
		this.descriptions.policies().current().names().forEach((name) -> names.put(Name.of(name), name));
		uses.stream().map((use) -> use.policy().name()).forEach((name) -> names.put(Name.of(name), name));
		Map<String, PolicyActivity> described = new TreeMap<>();
		names.values()
			.forEach((name) -> described.put(name, sum(activity.apply(name), this.descriptions.overrides(name))));
		return described;
	}

	private static PolicyActivity sum(ActivityDescriptions.ActivityDescriptor activity,
			Map<String, OverrideDescriptor> overrides) {
		Collection<CountersDescriptor> counters = activity.counters().values();
		Map<String, Long> calls = new TreeMap<>();
		counters.forEach((counted) -> counted.calls().forEach((stop, count) -> calls.merge(stop, count, Long::sum)));
		return new PolicyActivity(calls, counters.stream().mapToLong(CountersDescriptor::attempts).sum(),
				counters.stream().mapToLong(CountersDescriptor::retries).sum(), activity.waiting(),
				overrides.isEmpty() ? null : overrides);
	}

	private Map<String, BudgetActivity> budgets(BackoffConfiguration configuration) {
		Map<String, BudgetActivity> described = new TreeMap<>();
		for (RetryBudget budget : this.descriptions.safety().budgets().all()) {
			described.put(budget.name(),
					new BudgetActivity(Math.floor(budget.balance() * HUNDREDTHS) / HUNDREDTHS,
							configuration.budget(budget.name()).settings().tokens(), budget.refused(), budget.isDry(),
							budget.strikes(), budget.barred()));
		}
		return described;
	}

	private static Map<String, BreakerActivity> breakers(Map<String, BreakerDescriptor> breakers) {
		Map<String, BreakerActivity> described = new TreeMap<>();
		breakers.forEach((name, breaker) -> described.put(name,
				new BreakerActivity(breaker.state(), breaker.openKeys(), breaker.failureRate(), breaker.calls(),
						breaker.rejected(), breaker.timeToProbeMs(), breaker.since(), breaker.changes())));
		return described;
	}

	/** The view, with the names of all views, and of the parts of other modules. */
	record ActivityDescriptor(String at, @Nullable String application, boolean writable, Set<String> views,
			Set<String> parts, boolean enabled, boolean retriesEnabled, Map<String, OverrideDescriptor> overrides,
			Map<String, PolicyActivity> policies, List<WaitingDescriptor> waiting, List<StoppedDescriptor> stopped,
			Map<String, BudgetActivity> budgets,
			Map<String, BreakerActivity> breakers) implements OperationResponseBody {
	}

	/** The calls of a policy since the start. The overrides are null if it has none. */
	record PolicyActivity(Map<String, Long> calls, long attempts, long retries, int waiting,
			@Nullable Map<String, OverrideDescriptor> overrides) {
	}

	/** A budget in use. */
	record BudgetActivity(double balance, double tokens, long refused, boolean dry, double strikes, long barred) {
	}

	/** A breaker in use. */
	record BreakerActivity(String state, @Nullable Long openKeys, @Nullable Double failureRate, long calls,
			long rejected, @Nullable Double timeToProbeMs, @Nullable String since, List<BreakerChange> changes) {
	}

	/** The process of the endpoint, which is writable if the access permits changes. */
	record ThisProcess(@Nullable String application, boolean writable, Clock clock) {

		static ThisProcess of(PropertyResolver properties, @Nullable EndpointAccessResolver access, Clock clock) {
			boolean writable = access != null
					&& access.accessFor(BackoffEndpoint.ID, Access.READ_ONLY) == Access.UNRESTRICTED;
			return new ThisProcess(properties.getProperty("spring.application.name"), writable, clock);
		}

	}

}
