package dev.backoff.spring.actuate;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the endpoint answers. Times are milliseconds.
 *
 * @param enabled whether methods are retried and measured at all
 * @param retriesEnabled whether retries are made
 * @param policies the policies by name
 * @since 0.1
 */
public record BackoffDescriptor(boolean enabled, boolean retriesEnabled,
		Map<String, PolicyDescriptor> policies) implements OperationResponseBody {

	/**
	 * One policy.
	 *
	 * @param unused whether no method uses it
	 * @param methods what is in effect for each method that uses it, by method
	 * @param plan what is in effect for a programmatic call, or null if the policy is no
	 * key of the configuration or only an annotation completes it
	 */
	public record PolicyDescriptor(boolean unused, Map<String, PlanDescriptor> methods,
			@Nullable PlanDescriptor plan) implements OperationResponseBody {
	}

	/**
	 * What is in effect, and what it is going to do.
	 *
	 * @param values the values with their origins, by key
	 * @param delays the first ten delays
	 * @param waits all delays of a call that uses up its attempts, or null for an
	 * unlimited number of attempts without a deadline
	 * @param longestCall how long a call with a deadline can take: unbounded, since an
	 * attempt has no timeout; null without a deadline
	 * @param advice what works but is probably not meant
	 */
	public record PlanDescriptor(Map<String, ValueDescriptor> values, List<DelayDescriptor> delays,
			@Nullable WaitsDescriptor waits, @Nullable String longestCall, List<String> advice) {
	}

	/**
	 * One value.
	 *
	 * @param value the value as a configuration writes it
	 * @param origin where it comes from
	 */
	public record ValueDescriptor(String value, String origin) {
	}

	/**
	 * The delay before one retry.
	 *
	 * @param retry the retry, counted from 1
	 * @param leastMs the shortest delay that can be drawn
	 * @param meanMs the mean over all draws
	 * @param greatestMs the delay that no draw exceeds
	 */
	public record DelayDescriptor(int retry, double leastMs, double meanMs, double greatestMs) {
	}

	/**
	 * The sum of all delays, at most the deadline.
	 *
	 * @param meanMs the mean over all draws
	 * @param worstMs the greatest sum
	 */
	public record WaitsDescriptor(double meanMs, double worstMs) {
	}

}
