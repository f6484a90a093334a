package dev.backoff.spring.observation;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CircuitBreaker.Verdict;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetriesStoppedException.Wait;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;

/**
 * Keep the last {@value #KEPT} calls of each policy that stopped without success. Calls
 * whose retries were made by an inner call, and cancelled calls, are left out unless a
 * recovery handled their failure.
 * <p>
 * Text and numbers are kept, but no exception, argument or result. After
 * {@value #MOST_POLICIES} policies, further policies share the name {@value #OTHER}.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class StoppedCalls implements RetryListener {

	/** How many calls of a policy are kept: {@value}. */
	public static final int KEPT = 20;

	/** The greatest number of policies whose calls are kept apart. */
	static final int MOST_POLICIES = 1_000;

	/** The name that all policies beyond the bound share. */
	static final String OTHER = "other";

	private final Clock clock;

	private final BooleanSupplier messages;

	private final Map<String, List<StoppedCall>> policies = new ConcurrentHashMap<>();

	/* By the failed calls of each policy, so that a rejected call has a host too. */
	private final Map<String, String> failedHosts = new ConcurrentHashMap<>();

	/** Keep calls, with the messages of failures only while {@code messages} is true. */
	public StoppedCalls(Clock clock, BooleanSupplier messages) {
		this.clock = clock;
		this.messages = messages;
	}

	@Override
	public void onStop(RetryEvent.Stopped event) {
		StopReason reason = event.report().reason();
		if ((reason != StopReason.NESTED && reason != StopReason.CANCELLED)
				|| event.recovery() == RecoveryOutcome.DONE) {
			add(event.policy(), describe(event));
		}
	}

	private void add(String policy, StoppedCall call) {
		boolean apart = this.policies.size() < MOST_POLICIES || this.policies.containsKey(policy);
		this.policies.merge(apart ? policy : OTHER, List.of(call),
				(before, added) -> Stream.concat(added.stream(), before.stream()).limit(KEPT).toList());
	}

	private StoppedCall describe(RetryEvent.Stopped event) {
		RetriesStoppedException report = event.report();
		Throwable failure = report.failure();
		String host = report.host();
		if (host != null && event.outcome().verdict() == Verdict.FAILED && this.failedHosts.size() < MOST_POLICIES) {
			this.failedHosts.put(event.policy(), host);
		}
		else if (host == null && report.reason() == StopReason.BREAKER_OPEN) {
			host = this.failedHosts.get(event.policy());
		}
		List<Duration> waits = report.waits().stream().map(Wait::length).toList();
		return new StoppedCall(this.clock.instant(), event.policy(), event.method(), report.reason(), report.attempts(),
				waits, report.attemptTimes(), report.elapsed(), host,
				(failure != null) ? failure.getClass().getName() : null,
				(failure != null) ? FailureText.rootClass(failure) : null,
				(failure != null && this.messages.getAsBoolean()) ? FailureText.message(failure) : null,
				event.recovery());
	}

	/** Return the last stopped calls of a policy, the latest first. */
	public List<StoppedCall> of(String policy) {
		List<StoppedCall> calls = this.policies.getOrDefault(policy, List.of());
		return this.messages.getAsBoolean() ? calls : calls.stream().map(StoppedCall::withoutMessage).toList();
	}

	/** Return the names of the policies that have stopped calls, sorted. */
	public Set<String> policies() {
		return Collections.unmodifiableSet(new TreeSet<>(this.policies.keySet()));
	}

	/**
	 * A call that stopped without success, without its arguments and its result. If there
	 * are more than six waits or attempts, it has the first three and the last three. The
	 * host, with the port, is that of the last request, or null if unknown. A call that a
	 * breaker rejected has that of the policy's last call that failed. The failure is a
	 * class name, or null if a result was not good enough. The root failure is null if
	 * the failure has no cause. The message is one line of at most 200 characters, or
	 * null if messages are not shown. Immutable and thread-safe.
	 */
	public record StoppedCall(Instant time, String policy, String method, StopReason reason, int attempts,
			List<Duration> waits, List<Duration> attemptTimes, Duration elapsed, @Nullable String host,
			@Nullable String failure, @Nullable String rootFailure, @Nullable String message,
			RecoveryOutcome recovery) {

		/** Return the same call without the message of its failure. */
		StoppedCall withoutMessage() {
			return (this.message == null) ? this
					: new StoppedCall(this.time, this.policy, this.method, this.reason, this.attempts, this.waits,
							this.attemptTimes, this.elapsed, this.host, this.failure, this.rootFailure, null,
							this.recovery);
		}

	}

}
