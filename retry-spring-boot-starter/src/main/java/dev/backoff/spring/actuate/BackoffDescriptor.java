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
 * @param budgets the budgets in use and those of the configuration, by name
 * @param breakers the breakers in use and those of the configuration, by name
 * @since 0.1
 */
public record BackoffDescriptor(boolean enabled, boolean retriesEnabled, Map<String, PolicyDescriptor> policies,
		Map<String, BudgetDescriptor> budgets,
		Map<String, BreakerDescriptor> breakers) implements OperationResponseBody {

	/**
	 * One policy.
	 *
	 * @param unused whether no method uses it
	 * @param methods what is in effect for each method that uses it, by method
	 * @param plan what is in effect for a programmatic call, or null if the policy is no
	 * key of the configuration or only an annotation completes it
	 * @param degraded whether delays are raised now because many attempts fail, or null
	 * if they never are
	 */
	public record PolicyDescriptor(boolean unused, Map<String, PlanDescriptor> methods, @Nullable PlanDescriptor plan,
			@Nullable Boolean degraded) implements OperationResponseBody {
	}

	/**
	 * One budget.
	 *
	 * @param unused whether no policy in use has it
	 * @param policies the policies of the methods that use it, by name
	 * @param balance the tokens it holds now, or null if nobody has asked for it
	 * @param tokens the tokens it holds when it is full
	 * @param refused how many retries it refused, or null if nobody has asked for it
	 * @param dry whether it refused a retry and has not been half full since, or null if
	 * nobody has asked for it
	 * @param values the values with their origins, by key
	 */
	public record BudgetDescriptor(boolean unused, List<String> policies, @Nullable Double balance, double tokens,
			@Nullable Long refused, @Nullable Boolean dry, Map<String, ValueDescriptor> values) {
	}

	/**
	 * One breaker. Of another library's, the state is all that is known here.
	 *
	 * @param unused whether no policy in use has it
	 * @param provider whose breaker it is
	 * @param policies the policies of the methods that use it, by name
	 * @param state its state, or null if it is not known
	 * @param failureRate the share of the counted calls that failed, or null without any
	 * @param slowCallRate the share of the counted calls that were slow, or null without
	 * any
	 * @param calls the counted calls: of the window, of the probes, or those that opened
	 * it
	 * @param rejected how many attempts it refused
	 * @param timeToProbeMs the time until it permits probes, or null unless it is open
	 * @param values the values with their origins, by key
	 */
	public record BreakerDescriptor(boolean unused, String provider, List<String> policies, @Nullable String state,
			@Nullable Double failureRate, @Nullable Double slowCallRate, @Nullable Long calls, @Nullable Long rejected,
			@Nullable Double timeToProbeMs, Map<String, ValueDescriptor> values) {
	}

	/**
	 * What is in effect, and what it is going to do.
	 *
	 * @param values the values with their origins, by key
	 * @param delays the first ten delays
	 * @param degradedDelays the same while many attempts fail, or null if delays are
	 * never raised
	 * @param waits all delays of a call that uses up its attempts, or null for an
	 * unlimited number of attempts without a deadline
	 * @param longestCall how long a call with a deadline can take, which is unbounded if
	 * its attempts have no timeout; null without a deadline
	 * @param advice what works but is probably not meant
	 */
	public record PlanDescriptor(Map<String, ValueDescriptor> values, List<DelayDescriptor> delays,
			@Nullable List<DelayDescriptor> degradedDelays, @Nullable WaitsDescriptor waits,
			@Nullable String longestCall, List<String> advice) {
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
