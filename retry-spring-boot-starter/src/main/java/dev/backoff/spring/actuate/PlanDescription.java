package dev.backoff.spring.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.DelayPlan;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.actuate.BackoffDescriptor.DelayDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.PlanDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.ValueDescriptor;
import dev.backoff.spring.actuate.BackoffDescriptor.WaitsDescriptor;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/** Describes what a policy is going to do. */
final class PlanDescription {

	private static final int SHOWN = 10;

	private static final String UNBOUNDED = "unbounded: the deadline cuts no attempt";

	private static final String IF_INTERRUPTIBLE = ", if attempts react to interruption";

	private static final double MILLI = 1_000_000;

	private PlanDescription() {
	}

	static PlanDescriptor of(EffectivePolicy effective, List<String> advice) {
		RetryPolicy policy = effective.numbers();
		Map<String, ValueDescriptor> values = new LinkedHashMap<>();
		effective.values()
			.forEach((key, value) -> values.put(key.key(), new ValueDescriptor(value.text(), value.origin())));
		boolean unlimited = policy.maxAttempts() == RetryPolicy.UNLIMITED_ATTEMPTS;
		int retries = unlimited ? SHOWN : Math.min(policy.maxAttempts() - 1, SHOWN);
		List<DelayDescriptor> degradedDelays = (policy.degraded() != null) ? delays(policy.degradedRule(), retries)
				: null;
		return new PlanDescriptor(values, delays(policy.rule(), retries), degradedDelays, waits(policy, unlimited),
				longestCall(policy), advice);
	}

	private static @Nullable String longestCall(RetryPolicy policy) {
		if (policy.deadlineNanos() == Nanos.UNLIMITED) {
			return null;
		}
		return (policy.attemptTimeoutNanos() == Nanos.UNLIMITED) ? UNBOUNDED
				: DurationText.exact(policy.deadlineNanos()) + IF_INTERRUPTIBLE;
	}

	private static List<DelayDescriptor> delays(BackoffRule rule, int retries) {
		return DelayPlan.of(rule, retries)
			.steps()
			.stream()
			.map((step) -> new DelayDescriptor(step.retry(), step.least() / MILLI, step.mean() / MILLI,
					step.greatest() / MILLI))
			.toList();
	}

	private static @Nullable WaitsDescriptor waits(RetryPolicy policy, boolean unlimited) {
		long deadline = policy.deadlineNanos();
		if (unlimited) {
			return (deadline == Nanos.UNLIMITED) ? null : new WaitsDescriptor(deadline / MILLI, deadline / MILLI);
		}
		DelayPlan plan = DelayPlan.of(policy.rule(), policy.maxAttempts() - 1);
		return new WaitsDescriptor(Math.min(deadline, plan.totalMean()) / MILLI,
				Math.min(deadline, plan.totalGreatest()) / MILLI);
	}

}
