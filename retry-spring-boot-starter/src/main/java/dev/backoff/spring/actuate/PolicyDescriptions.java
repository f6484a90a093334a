package dev.backoff.spring.actuate;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.actuate.BackoffDescriptor.MethodDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.OverrideDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.PlanDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.PolicyDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.PreviewDescriptor;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.Overrides;
import dev.backoff.spring.policy.PolicyUse;
import dev.backoff.spring.safety.OverloadSafety;

/** Describes policies and the methods that use them. */
final class PolicyDescriptions {

	private final BackoffPolicies policies;

	private final OverloadSafety safety;

	private final LiveConfiguration live;

	private final ActivityDescriptions activity;

	PolicyDescriptions(BackoffPolicies policies, OverloadSafety safety, LiveConfiguration live,
			ActivityDescriptions activity) {
		this.policies = policies;
		this.safety = safety;
		this.live = live;
		this.activity = activity;
	}

	/** Describe all policies: those of methods, and those of the configuration. */
	Map<String, PolicyDescriptor> all(List<PolicyUse> uses) {
		Map<String, String> configured = new TreeMap<>();
		this.policies.names().forEach((name) -> configured.put(BackoffPolicies.canonicalName(name), name));
		Map<String, PolicyDescriptor> descriptors = new TreeMap<>();
		for (PolicyUse use : uses) {
			String name = use.policy().name();
			if (!descriptors.containsKey(name)) {
				String written = configured.remove(BackoffPolicies.canonicalName(name));
				descriptors.put(name, policy(name, false, uses, (written != null) ? plan(written) : null));
			}
		}
		List<String> unused = this.policies.unused();
		configured.values()
			.forEach((name) -> descriptors.put(name, policy(name, unused.contains(name), List.of(), plan(name))));
		return descriptors;
	}

	/** Describe the policy of a name in any spelling, or return null. */
	@Nullable PolicyDescriptor policy(String name, List<PolicyUse> uses) {
		String wanted = BackoffPolicies.canonicalName(name);
		return all(uses).entrySet()
			.stream()
			.filter((entry) -> BackoffPolicies.canonicalName(entry.getKey()).equals(wanted))
			.map(Map.Entry::getValue)
			.findFirst()
			.orElse(null);
	}

	private PolicyDescriptor policy(String name, boolean unused, List<PolicyUse> uses, @Nullable PlanDescriptor plan) {
		return new PolicyDescriptor(unused, plans(name, uses), plan, this.safety.isDegraded(name), overrides(name),
				this.activity.of(name));
	}

	/** Describe the method of a label, or return null. */
	@Nullable MethodDescriptor method(String label, List<PolicyUse> uses) {
		for (PolicyUse use : uses) {
			if (use.method().equals(label)) {
				String policy = use.policy().name();
				return new MethodDescriptor(label, policy, PlanDescription.of(use.policy(), use.advice()),
						this.activity.counters(policy, label), this.activity.stopped(policy, label));
			}
		}
		return null;
	}

	/** Describe what would be in effect for a policy. */
	PreviewDescriptor preview(String name, BackoffPolicies.Candidate candidate, List<PolicyUse> uses) {
		return new PreviewDescriptor(plans(name, uses),
				candidate.peek(name).map(PolicyDescriptions::plan).orElse(null));
	}

	private static Map<String, PlanDescriptor> plans(String name, List<PolicyUse> uses) {
		Map<String, PlanDescriptor> plans = new TreeMap<>();
		for (PolicyUse use : uses) {
			if (use.policy().name().equals(name)) {
				plans.put(use.method(), PlanDescription.of(use.policy(), use.advice()));
			}
		}
		return plans;
	}

	private @Nullable PlanDescriptor plan(String name) {
		return this.policies.peek(name).map(PolicyDescriptions::plan).orElse(null);
	}

	private static PlanDescriptor plan(EffectivePolicy policy) {
		return PlanDescription.of(policy, policy.advice());
	}

	private Map<String, OverrideDescriptor> overrides(String name) {
		Map<String, OverrideDescriptor> described = new TreeMap<>();
		this.policies.configuration()
			.overrides()
			.values(name)
			.forEach((key, text) -> described.put(key.key(),
					new OverrideDescriptor(text, this.live.until(name, key).map(Object::toString).orElse(null))));
		return described;
	}

	/** Describe what an operator overrides at the top. */
	Map<String, OverrideDescriptor> overrides() {
		Overrides overrides = this.policies.configuration().overrides();
		Boolean enabled = overrides.retriesEnabled();
		return (enabled == null) ? Map.of() : Map.of("retries-enabled", new OverrideDescriptor(enabled.toString(),
				this.live.retriesEnabledUntil().map(Object::toString).orElse(null)));
	}

}
