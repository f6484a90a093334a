package dev.backoff.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.PolicyResolver;
import dev.backoff.spring.policy.PolicyUses;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;

/**
 * Plans and simulations of the policies of an application as they are in effect,
 * annotations included. Tests can use this bean to fail when a policy would do harm.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class BackoffPlans {

	private final BackoffPolicies policies;

	private final PolicyUses uses;

	private final LiveConfiguration live;

	BackoffPlans(BackoffPolicies policies, PolicyUses uses, LiveConfiguration live) {
		this.policies = policies;
		this.uses = uses;
		this.live = live;
	}

	/**
	 * Plan a policy.
	 * @param name the name of a policy, or of a method as meters and logs show it
	 * @return its plan
	 * @throws InvalidBackoffException if nothing has that name
	 */
	public Plan plan(String name) {
		return Plan.of(named(name));
	}

	/**
	 * Simulate a storm.
	 * @param name the name of a policy, or of a method as meters and logs show it
	 * @param scenario the callers, the service and its fault
	 * @return what happens
	 * @throws InvalidBackoffException if nothing has that name, or the scenario is wrong
	 */
	public Storm storm(String name, Scenario scenario) {
		return Storm.of(named(name), scenario);
	}

	private SimulatedPolicy named(String name) {
		String known = this.policies.find(name).orElse(name);
		EffectivePolicy policy = this.uses.uses()
			.stream()
			.filter((use) -> use.method().equals(name) || use.policy().name().equals(known))
			.findFirst()
			.map(PolicyUse::policy)
			.orElseGet(() -> this.policies.resolve(name));
		return SimulatedPolicy.of(policy, this.policies.configuration());
	}

	/** Return a policy with other values, which are written as for a preview. */
	SimulatedPolicy with(EffectivePolicy policy, Map<String, String> values) {
		if (values.isEmpty()) {
			return SimulatedPolicy.of(policy, this.policies.configuration());
		}
		PolicyResolver candidate = this.live.preview(policy.name(), values);
		List<Problem> problems = new ArrayList<>();
		EffectivePolicy changed = this.uses.uses(candidate, problems)
			.stream()
			.map(PolicyUse::policy)
			.filter((other) -> other.name().equals(policy.name()))
			.findFirst()
			.or(() -> candidate.peek(policy.name()))
			.orElseThrow(() -> new InvalidBackoffException(problems));
		return SimulatedPolicy.of(changed, candidate.configuration());
	}

}
