package dev.backoff.spring.actuate;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.pace.Pace;
import dev.backoff.pace.QuotaReading;
import dev.backoff.spring.actuate.ActivityDescriptions.ActivityDescriptor;
import dev.backoff.spring.actuate.ActivityDescriptions.CountersDescriptor;
import dev.backoff.spring.actuate.ActivityDescriptions.StoppedDescriptor;
import dev.backoff.spring.configuration.Name;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Section;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.PolicyAdvice;
import dev.backoff.spring.policy.PolicyResolver;
import dev.backoff.spring.policy.PolicyUses;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.spring.safety.Paces;
import dev.backoff.time.Nanos;

/** Describe policies and the methods that use them. */
record PolicyDescriptions(BackoffPolicies policies, PolicyUses uses, OverloadSafety safety, LiveConfiguration live,
		ActivityDescriptions activity) {

	/** Describe the policies of methods and those of the configuration. */
	Map<String, PolicyDescriptor> all(List<PolicyUse> uses, boolean brief) {
		Map<Name, String> configured = new HashMap<>();
		this.policies.current().names().forEach((name) -> configured.put(Name.of(name), name));
		Map<String, PolicyDescriptor> descriptors = new TreeMap<>();
		Function<String, @Nullable ActivityDescriptor> activity = brief ? (name) -> null
				: this.activity.now((name) -> isListing(name, uses));
		for (PolicyUse use : uses) {
			String name = use.policy().name();
			if (!descriptors.containsKey(name)) {
				String written = configured.remove(Name.of(name));
				descriptors.put(name, policy(name, false, plans(name, uses, brief),
						(written != null) ? plan(written, brief) : null, activity.apply(name)));
			}
		}
		List<String> unused = this.policies.current().unused(Section.POLICIES);
		configured.values()
			.forEach((name) -> descriptors.put(name,
					policy(name, unused.contains(name), Map.of(), plan(name, brief), activity.apply(name))));
		return descriptors;
	}

	/* As the core lists attempts: a success that is not limited pays nothing for it. */
	private boolean isListing(String name, List<PolicyUse> uses) {
		Stream<EffectivePolicy> used = uses.stream().map(PolicyUse::policy).filter((use) -> use.name().equals(name));
		return Stream.concat(used, this.policies.current().peek(name).stream())
			.map(EffectivePolicy::numbers)
			.anyMatch((numbers) -> numbers.deadlineNanos() != Nanos.UNLIMITED
					|| numbers.attemptTimeoutNanos() != Nanos.UNLIMITED);
	}

	private PolicyDescriptor policy(String name, boolean unused, Map<String, PlanDescriptor> plans,
			@Nullable PlanDescriptor plan, @Nullable ActivityDescriptor activity) {
		return new PolicyDescriptor(unused, this.uses.isAdapted(name) ? true : null, plans, plan,
				ConcurrencyDescriptor.of(this.safety.limit(name)), PaceDescriptor.of(this.safety.paces().of(name)),
				overrides(name), activity);
	}

	private static Map<String, PlanDescriptor> plans(String name, List<PolicyUse> uses, boolean brief) {
		Map<String, PlanDescriptor> plans = new TreeMap<>();
		uses.stream()
			.filter((use) -> use.policy().name().equals(name))
			.forEach((use) -> plans.put(use.method(), PlanDescriptor.of(use.policy(), use.advice(), brief)));
		return plans;
	}

	private @Nullable PlanDescriptor plan(String name, boolean brief) {
		return this.policies.current().peek(name).map((policy) -> plan(policy, brief)).orElse(null);
	}

	private PlanDescriptor plan(EffectivePolicy policy, boolean brief) {
		return PlanDescriptor.of(policy, PolicyAdvice.of(policy, this.policies.configuration()), brief);
	}

	Map<String, OverrideDescriptor> overrides(String name) {
		Map<String, OverrideDescriptor> described = new TreeMap<>();
		this.policies.configuration()
			.overrides()
			.of(name)
			.forEach((key, value) -> described.put(key.key(), new OverrideDescriptor(value.text(),
					this.live.until(name, key).map(Object::toString).orElse(null))));
		return described;
	}

	/** Describe the override of all policies together. */
	Map<String, OverrideDescriptor> overrides() {
		Boolean enabled = this.policies.configuration().overrides().retriesEnabled();
		return (enabled == null) ? Map.of() : Map.of("retries-enabled", new OverrideDescriptor(enabled.toString(),
				this.live.until(Overrides.ALL, PolicyKey.ENABLED).map(Object::toString).orElse(null)));
	}

	/** Describe the method of a label, or return null. */
	@Nullable MethodDescriptor method(String label, List<PolicyUse> uses) {
		return uses.stream().filter((use) -> use.method().equals(label)).findFirst().map((use) -> {
			String policy = use.policy().name();
			return new MethodDescriptor(label, policy, PlanDescriptor.of(use.policy(), use.advice(), false),
					this.activity.counters(policy, label), this.activity.stopped(policy, label));
		}).orElse(null);
	}

	/** Describe a policy as it would be with another configuration. */
	PreviewDescriptor preview(String name, PolicyResolver candidate, List<PolicyUse> uses) {
		return new PreviewDescriptor(plans(name, uses, false),
				candidate.peek(name).map((policy) -> plan(policy, false)).orElse(null));
	}

	/**
	 * A policy, with a plan for each method that uses it. The other plan is that of a
	 * programmatic call: null unless the configuration alone completes the policy. The
	 * short view has no activity. Adapted is true if another library makes attempts by
	 * the delays of the policy, without its safeguards.
	 */
	record PolicyDescriptor(boolean unused, @Nullable Boolean adapted, Map<String, PlanDescriptor> methods,
			@Nullable PlanDescriptor plan, @Nullable ConcurrencyDescriptor concurrency, @Nullable PaceDescriptor pace,
			Map<String, OverrideDescriptor> overrides,
			@Nullable ActivityDescriptor activity) implements OperationResponseBody {
	}

	/** Permits, with the number of calls that may wait, null for any number. */
	record ConcurrencyDescriptor(int permits, int active, int waiting, @Nullable Integer maxWaiting) {

		static @Nullable ConcurrencyDescriptor of(@Nullable ConcurrencyLimit limit) {
			if (limit == null || limit.permits() == ConcurrencyLimit.UNLIMITED) {
				return null;
			}
			return new ConcurrencyDescriptor(limit.permits(), limit.active(), limit.waiting(),
					(limit.maxWaiting() != ConcurrencyLimit.UNLIMITED) ? limit.maxWaiting() : null);
		}

	}

	/**
	 * A pace, which keys may divide: it tells of calls without a key, and of all waiting
	 * ones. It is held by a hint, or paced by a learned rate or a quota, or free.
	 */
	record PaceDescriptor(String name, String state, double nextMs, double holdMs, @Nullable Double perSecond,
			List<QuotaReading> quotas, int waiting) {

		private static final double THOUSAND = 1000;

		static @Nullable PaceDescriptor of(@Nullable Pace pace) {
			if (pace == null) {
				return null;
			}
			Pace.Status now = pace.status();
			String state = !now.held().isZero() ? "held"
					: (now.perSecond() > 0 || !now.quotas().isEmpty()) ? "paced" : "free";
			return new PaceDescriptor(pace.name(), state, ActivityDescriptions.millis(now.untilTurn()),
					ActivityDescriptions.millis(now.held()),
					(now.perSecond() > 0) ? Math.round(now.perSecond() * THOUSAND) / THOUSAND : null, now.quotas(),
					Paces.statuses(pace).stream().mapToInt(Pace.Status::waiting).sum());
		}

	}

	/** A method. Its counters are null if calls are not counted. */
	record MethodDescriptor(String method, String policy, PlanDescriptor plan, @Nullable CountersDescriptor counters,
			List<StoppedDescriptor> stopped) implements OperationResponseBody {
	}

	/** The plans that other values would lead to. */
	record PreviewDescriptor(Map<String, PlanDescriptor> methods,
			@Nullable PlanDescriptor plan) implements OperationResponseBody {
	}

	/** A value that an operator has set in this process, until it is reset or ends. */
	record OverrideDescriptor(String value, @Nullable String until) {
	}

}
