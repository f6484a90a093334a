package dev.backoff.spring.actuate;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

import dev.backoff.spring.actuate.BackoffDescriptor.PlanDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.PolicyDescriptor;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.PolicyUse;
import dev.backoff.spring.safety.OverloadSafety;

/**
 * Show every policy, the methods that use it, the values in effect with their origins,
 * and the delays they lead to; every budget and every breaker, with its state. It shows
 * no argument, no result and no message of an exception.
 *
 * @since 0.1
 */
@Endpoint(id = "backoff", defaultAccess = Access.READ_ONLY)
public class BackoffEndpoint {

	private final BackoffPolicies policies;

	private final Supplier<List<PolicyUse>> uses;

	private final OverloadSafety safety;

	/**
	 * Make the endpoint.
	 * @param policies resolves policies
	 * @param uses tells the annotated methods known so far
	 * @param safety has budgets and breakers
	 */
	public BackoffEndpoint(BackoffPolicies policies, Supplier<List<PolicyUse>> uses, OverloadSafety safety) {
		this.policies = policies;
		this.uses = uses;
		this.safety = safety;
	}

	/**
	 * Show all policies, budgets and breakers.
	 * @return each of them by name
	 */
	@ReadOperation
	public BackoffDescriptor policies() {
		SafetyDescription shared = new SafetyDescription(this.policies, this.safety, this.uses.get());
		return new BackoffDescriptor(this.policies.configuration().isEnabled(),
				this.policies.configuration().isRetriesEnabled(), descriptors(), shared.budgets(), shared.breakers());
	}

	/**
	 * Show one policy.
	 * @param policy its name, in any spelling with the same letters and digits
	 * @return the policy, or null if there is none of that name
	 */
	@ReadOperation
	public @Nullable PolicyDescriptor policy(@Selector String policy) {
		String wanted = BackoffPolicies.canonicalName(policy);
		return descriptors().entrySet()
			.stream()
			.filter((entry) -> BackoffPolicies.canonicalName(entry.getKey()).equals(wanted))
			.map(Map.Entry::getValue)
			.findFirst()
			.orElse(null);
	}

	private Map<String, PolicyDescriptor> descriptors() {
		Map<String, Map<String, PlanDescriptor>> methods = new TreeMap<>();
		for (PolicyUse use : this.uses.get()) {
			methods.computeIfAbsent(use.policy().name(), (name) -> new TreeMap<>())
				.put(use.method(), PlanDescription.of(use.policy(), use.advice()));
		}
		Map<String, String> configured = new TreeMap<>();
		this.policies.names().forEach((name) -> configured.put(BackoffPolicies.canonicalName(name), name));
		Map<String, PolicyDescriptor> descriptors = new TreeMap<>();
		methods.forEach((name, plans) -> {
			String written = configured.remove(BackoffPolicies.canonicalName(name));
			descriptors.put(name, new PolicyDescriptor(false, plans, (written != null) ? plan(written) : null,
					this.safety.isDegraded(name)));
		});
		List<String> unused = this.policies.unused();
		configured.values()
			.forEach((name) -> descriptors.put(name,
					new PolicyDescriptor(unused.contains(name), Map.of(), plan(name), this.safety.isDegraded(name))));
		return descriptors;
	}

	private @Nullable PlanDescriptor plan(String name) {
		return this.policies.peek(name).map((policy) -> PlanDescription.of(policy, policy.advice())).orElse(null);
	}

}
