package dev.backoff.spring.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.DelayPlan;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.Level;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * The values in effect and the delays that they lead to: the first ten, and their sum.
 * The sum is null for an unlimited number of attempts without a deadline, the longest
 * call is null without a deadline. The short view has values and advice only.
 */
record PlanDescriptor(Map<String, EffectiveValue> values, @Nullable List<DelayDescriptor> delays,
		@Nullable WaitsDescriptor waits, @Nullable String longestCall, List<String> advice) {

	/** One millisecond in nanoseconds. */
	static final double MILLI = 1_000_000;

	private static final int SHOWN = 10;

	static PlanDescriptor of(EffectivePolicy effective, List<String> advice, boolean brief) {
		Map<String, EffectiveValue> values = values(effective.values(), brief);
		if (brief) {
			return new PlanDescriptor(values, null, null, null, advice);
		}
		RetryPolicy policy = effective.numbers();
		boolean unlimited = policy.maxAttempts() == RetryPolicy.UNLIMITED_ATTEMPTS;
		int retries = unlimited ? SHOWN : Math.min(policy.maxAttempts() - 1, SHOWN);
		return new PlanDescriptor(values, delays(policy.rule(), retries), waits(policy, unlimited), longestCall(policy),
				advice);
	}

	/** Return values by the names of their keys, in brief those that are not built in. */
	static Map<String, EffectiveValue> values(Map<Key<?>, EffectiveValue> values, boolean brief) {
		Map<String, EffectiveValue> named = new LinkedHashMap<>();
		values.forEach((key, value) -> {
			if (!brief || !value.level().equals(Level.BUILT_IN)) {
				named.put(key.key(), value);
			}
		});
		return named;
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

	private static @Nullable String longestCall(RetryPolicy policy) {
		if (policy.deadlineNanos() == Nanos.UNLIMITED) {
			return null;
		}
		return (policy.attemptTimeoutNanos() == Nanos.UNLIMITED) ? "unbounded: the deadline cuts no attempt"
				: DurationText.exact(policy.deadlineNanos()) + ", if attempts react to interruption";
	}

	/** The delay before one retry, counted from 1. */
	record DelayDescriptor(int retry, double leastMs, double meanMs, double greatestMs) {
	}

	/** The sum of all delays, at most the deadline. */
	record WaitsDescriptor(double meanMs, double worstMs) {
	}

}
