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
 * @param overrides what an operator overrides at the top, by key
 * @param policies the policies by name
 * @param budgets the budgets in use and those of the configuration, by name
 * @param breakers the breakers in use and those of the configuration, by name
 * @since 0.1
 */
public record BackoffDescriptor(boolean enabled, boolean retriesEnabled, Map<String, OverrideDescriptor> overrides,
		Map<String, PolicyDescriptor> policies, Map<String, BudgetDescriptor> budgets,
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
	 * @param overrides what an operator overrides, by key
	 * @param activity what its calls have done and do
	 */
	public record PolicyDescriptor(boolean unused, Map<String, PlanDescriptor> methods, @Nullable PlanDescriptor plan,
			@Nullable Boolean degraded, Map<String, OverrideDescriptor> overrides,
			ActivityDescriptor activity) implements OperationResponseBody {
	}

	/**
	 * One method.
	 *
	 * @param method the method
	 * @param policy the name of its policy
	 * @param plan what is in effect for it
	 * @param counters what its calls have done, or null if nobody counts
	 * @param stopped the last of its calls that stopped, the latest first
	 */
	public record MethodDescriptor(String method, String policy, PlanDescriptor plan,
			@Nullable CountersDescriptor counters, List<StoppedDescriptor> stopped) implements OperationResponseBody {
	}

	/**
	 * A value that an operator has set, for this process only.
	 *
	 * @param value the value
	 * @param until when it ends by itself, or null if it holds until it is reset
	 */
	public record OverrideDescriptor(String value, @Nullable String until) {
	}

	/**
	 * What the calls of a policy have done and do.
	 *
	 * @param counters what they have done since the start, by method
	 * @param waiting how many wait for their next attempt now
	 * @param oldestWaiting those of them that have waited longest
	 * @param stopped the last calls that stopped, the latest first
	 */
	public record ActivityDescriptor(Map<String, CountersDescriptor> counters, int waiting,
			List<WaitingDescriptor> oldestWaiting, List<StoppedDescriptor> stopped) {
	}

	/**
	 * What the calls of a method have done since the start.
	 *
	 * @param calls how many have ended, by why
	 * @param attempts how many attempts they made
	 * @param retries how many of those were not the first of their call
	 */
	public record CountersDescriptor(Map<String, Long> calls, long attempts, long retries) {
	}

	/**
	 * A call that waits for its next attempt.
	 *
	 * @param method the method
	 * @param attempt the attempt that is over, or 0 if the first is still to come
	 * @param dueInMs how long it still waits
	 * @param elapsedMs how long ago it began
	 */
	public record WaitingDescriptor(String method, int attempt, double dueInMs, double elapsedMs) {
	}

	/**
	 * A call that stopped without success.
	 *
	 * @param time when
	 * @param method the method
	 * @param stop why
	 * @param attempts how many attempts it made
	 * @param elapsedMs how long it took
	 * @param waitsMs its waits
	 * @param attemptsMs how long its attempts took
	 * @param failure the class of its last failure, or null if it ended with a result
	 * @param rootFailure the class of what that goes back to, or null if it is the
	 * failure itself
	 * @param message the failure's message, or null unless the configuration allows it
	 * @param recovered what its recovery did, or null if it had none
	 */
	public record StoppedDescriptor(String time, String method, String stop, int attempts, double elapsedMs,
			List<Double> waitsMs, List<Double> attemptsMs, @Nullable String failure, @Nullable String rootFailure,
			@Nullable String message, @Nullable String recovered) {
	}

	/**
	 * What an operation has changed.
	 *
	 * @param scope for whom and how long it holds
	 * @param changes the values before and now
	 * @param configuration how to say the same for all processes and for good, in a
	 * configuration centre or a file
	 * @param advice what works now but is probably not meant
	 */
	public record ChangeDescriptor(String scope, List<ValueChangeDescriptor> changes, List<String> configuration,
			List<String> advice) implements OperationResponseBody {
	}

	/**
	 * One value that is another one now.
	 *
	 * @param subject what has it
	 * @param key its key
	 * @param before the value before, or null if there was none
	 * @param now the value now, or null if there is none
	 */
	public record ValueChangeDescriptor(String subject, String key, @Nullable ValueDescriptor before,
			@Nullable ValueDescriptor now) {
	}

	/**
	 * What would be in effect.
	 *
	 * @param methods for each method of the policy
	 * @param plan for a programmatic call, or null if the policy is no key of the
	 * configuration
	 */
	public record PreviewDescriptor(Map<String, PlanDescriptor> methods,
			@Nullable PlanDescriptor plan) implements OperationResponseBody {
	}

	/**
	 * Waiting calls that an operation has reached.
	 *
	 * @param policy the name of their policy
	 * @param calls how many
	 */
	public record WaitersDescriptor(String policy, int calls) implements OperationResponseBody {
	}

	/**
	 * Why an operation has changed nothing.
	 *
	 * @param problems what is wrong and how to mend it
	 */
	public record RefusalDescriptor(List<ProblemDescriptor> problems) implements OperationResponseBody {
	}

	/**
	 * One thing that is wrong.
	 *
	 * @param message the place, the value and the rule
	 * @param fix what to write instead
	 */
	public record ProblemDescriptor(String message, String fix) {
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
			@Nullable Long refused, @Nullable Boolean dry,
			Map<String, ValueDescriptor> values) implements OperationResponseBody {
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
			@Nullable Double timeToProbeMs, Map<String, ValueDescriptor> values) implements OperationResponseBody {
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
