package dev.backoff.spring.actuate;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import dev.backoff.CallRegistry;
import dev.backoff.CallRegistry.RunningAttempt;
import dev.backoff.CallRegistry.WaitingCall;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.spring.observation.CallStatistics;
import dev.backoff.spring.observation.CallStatistics.MethodCalls;
import dev.backoff.spring.observation.StoppedCalls;
import dev.backoff.spring.observation.StoppedCalls.StoppedCall;

/** Describe calls: counted, waiting and stopped ones, and attempts that run. */
record ActivityDescriptions(CallRegistry calls, CallStatistics statistics, StoppedCalls stopped) {

	private static final int OLDEST = 10;

	/** Look at all calls once, and describe those of a policy on request. */
	Function<String, ActivityDescriptor> now(Predicate<String> listed) {
		Map<String, List<WaitingCall>> waiting = this.calls.oldestWaiting(Integer.MAX_VALUE)
			.stream()
			.collect(Collectors.groupingBy(WaitingCall::policy));
		Map<String, List<MethodCalls>> counted = this.statistics.all()
			.stream()
			.collect(Collectors.groupingBy(MethodCalls::policy));
		Map<String, List<RunningAttempt>> running = this.calls.oldestRunning()
			.stream()
			.collect(Collectors.groupingBy(RunningAttempt::policy));
		return (policy) -> of(policy, counted.getOrDefault(policy, List.of()), waiting.getOrDefault(policy, List.of()),
				running.getOrDefault(policy, listed.test(policy) ? List.of() : null));
	}

	private ActivityDescriptor of(String policy, List<MethodCalls> counted, List<WaitingCall> waiting,
			@Nullable List<RunningAttempt> running) {
		Map<String, CountersDescriptor> counters = new TreeMap<>();
		counted.forEach((calls) -> counters.put(calls.method(), describe(calls)));
		List<WaitingDescriptor> oldest = waiting.stream().limit(OLDEST).map((call) -> describe(null, call)).toList();
		List<RunningDescriptor> oldestRunning = (running == null) ? null
				: running.stream()
					.limit(OLDEST)
					.map((attempt) -> new RunningDescriptor(attempt.method(), attempt.attempt(),
							millis(attempt.elapsed()), attempt.thread()))
					.toList();
		return new ActivityDescriptor(counters, waiting.size(), oldest, oldestRunning,
				this.stopped.of(policy).stream().map((call) -> describe(null, call)).toList());
	}

	@Nullable CountersDescriptor counters(String policy, String method) {
		return this.statistics.of(policy, method).map(ActivityDescriptions::describe).orElse(null);
	}

	List<StoppedDescriptor> stopped(String policy, String method) {
		return this.stopped.of(policy)
			.stream()
			.filter((call) -> call.method().equals(method))
			.map((call) -> describe(null, call))
			.toList();
	}

	/** Describe the calls that have waited longest, of all policies. */
	List<WaitingDescriptor> oldestWaiting(int most) {
		return this.calls.oldestWaiting(most).stream().map((call) -> describe(call.policy(), call)).toList();
	}

	/** Describe the calls that stopped last, of each policy, the latest first. */
	List<StoppedDescriptor> lastStopped() {
		return this.stopped.policies()
			.stream()
			.flatMap((policy) -> this.stopped.of(policy).stream())
			.sorted(Comparator.comparing(StoppedCall::time).reversed())
			.map((call) -> describe(call.policy(), call))
			.toList();
	}

	private static CountersDescriptor describe(MethodCalls calls) {
		Map<String, Long> byReason = new TreeMap<>();
		calls.calls().forEach((reason, count) -> byReason.put(reason.tag(), count));
		return new CountersDescriptor(byReason, calls.attempts(), calls.retries());
	}

	private static WaitingDescriptor describe(@Nullable String policy, WaitingCall call) {
		return new WaitingDescriptor(policy, call.method(), call.attempt(), millis(call.dueIn()),
				millis(call.elapsed()));
	}

	private static StoppedDescriptor describe(@Nullable String policy, StoppedCall call) {
		return new StoppedDescriptor(policy, call.time().toString(), call.method(), call.reason().tag(),
				call.attempts(), millis(call.elapsed()),
				call.waits().stream().map(ActivityDescriptions::millis).toList(),
				call.attemptTimes().stream().map(ActivityDescriptions::millis).toList(), call.host(), call.failure(),
				call.rootFailure(), call.message(),
				(call.recovery() != RecoveryOutcome.NONE) ? call.recovery().name().toLowerCase(Locale.ROOT) : null);
	}

	static double millis(Duration duration) {
		return duration.toNanos() / PlanDescriptor.MILLI;
	}

	/**
	 * The calls of a policy: counts by method, waiting calls, running attempts. These are
	 * null if they are not listed, without a deadline and an attempt timeout.
	 */
	record ActivityDescriptor(Map<String, CountersDescriptor> counters, int waiting,
			List<WaitingDescriptor> oldestWaiting, @Nullable List<RunningDescriptor> oldestRunning,
			List<StoppedDescriptor> stopped) {
	}

	/** The calls of a method since the start, by the reason of their end. */
	record CountersDescriptor(Map<String, Long> calls, long attempts, long retries) {
	}

	/**
	 * A call that waits after the given attempt, which is 0 before the first. The policy
	 * is null where all calls are of one.
	 */
	record WaitingDescriptor(@Nullable String policy, String method, int attempt, double dueInMs, double elapsedMs) {
	}

	/** An attempt that runs, on a thread unless it is asynchronous. */
	record RunningDescriptor(String method, int attempt, double elapsedMs, @Nullable String thread) {
	}

	/**
	 * A call that stopped without success, with its message if that may be shown. The
	 * policy is null where all calls are of one.
	 */
	record StoppedDescriptor(@Nullable String policy, String time, String method, String stop, int attempts,
			double elapsedMs, List<Double> waitsMs, List<Double> attemptsMs, @Nullable String host,
			@Nullable String failure, @Nullable String rootFailure, @Nullable String message,
			@Nullable String recovered) {
	}

}
