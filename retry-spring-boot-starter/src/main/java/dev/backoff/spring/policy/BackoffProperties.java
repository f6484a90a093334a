package dev.backoff.spring.policy;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The keys below {@code backoff}: their names, types and descriptions.
 * <p>
 * This is the schema. It gives IDEs their completion and the reader its list of known
 * keys, but it is not bound: values are read as text with their origins, so that a report
 * can name the file and line, and an environment variable overrides the policy it means
 * instead of adding another one.
 *
 * @param enabled Whether methods are retried and measured at all; if not, each is a plain
 * call.
 * @param retriesEnabled Whether retries are made; if not, first attempts, recovery,
 * meters and polling stay.
 * @param unknownKeys What an unknown key does at start-up.
 * @param random Source of chance for jitter.
 * @param defaults Values for all policies that set none of their own.
 * @param policies Policies by name. Compared by letters and digits only; an unnamed
 * method's policy is "[OrderService.place]".
 * @param metrics Meters.
 * @param http Calls over HTTP.
 */
@ConfigurationProperties("backoff")
public record BackoffProperties(@DefaultValue("true") boolean enabled, @DefaultValue("true") boolean retriesEnabled,
		@DefaultValue("error") UnknownKeys unknownKeys, @DefaultValue("fast") RandomKind random,
		@DefaultValue Policy defaults, @DefaultValue Map<String, Policy> policies, @DefaultValue Metrics metrics,
		@DefaultValue Http http) {

	/** What an unknown key does at start-up. */
	public enum UnknownKeys {

		/** Stop with a report. */
		ERROR,

		/** Log a warning, for a rollback under a newer shared configuration. */
		WARN

	}

	/** The source of chance. */
	public enum RandomKind {

		/** Fast draws, good enough to spread a herd. */
		FAST,

		/** Draws that cannot be predicted. */
		SECURE

	}

	/** How delays grow. */
	public enum ShapeName {

		/** The same delay each time. */
		FIXED,

		/** One step longer each time. */
		LINEAR,

		/** Longer by a factor each time. */
		EXPONENTIAL,

		/** Given delays, the last of which repeats. */
		LADDER

	}

	/** What happens to a failure that a call inside has retried. */
	public enum Nested {

		/** It is not retried again. */
		STOP,

		/** It is retried again, and the layers multiply. */
		MULTIPLY

	}

	/**
	 * The keys of a policy.
	 *
	 * @param inherits Policy to take values from that this one does not set.
	 * @param preset Set of numbers for a situation.
	 * @param enabled Whether this policy retries.
	 * @param shape How delays grow.
	 * @param base Delay before the first retry, before jitter. Default unit is
	 * milliseconds.
	 * @param cap Longest delay. Not below the base.
	 * @param multiplier Growth of an exponential shape, at least 1.
	 * @param step Growth of a linear shape; the base if not set.
	 * @param ladder Comma-separated list of delays, each with an optional number of times
	 * ("1s x5"); the last one repeats.
	 * @param jitter How chance spreads the delays: none, full, equal, a percentage,
	 * decorrelated, beta, or "beta 0.3..0.7".
	 * @param maxAttempts Number of all attempts, the first call included, or "unlimited".
	 * @param deadline Time for the whole call, waits included, or "none". After it no
	 * attempt starts.
	 * @param shortestAttempt Time an attempt needs at least before the deadline.
	 * @param throttledBase Least base after a throttled failure such as HTTP 429, at most
	 * the cap.
	 * @param retryOn Comma-separated list of exception types to retry, instead of all but
	 * programming errors.
	 * @param abortOn Comma-separated list of exception types never to retry. Adds up over
	 * all levels.
	 * @param matchCauses Whether retry-on and abort-on look at causes too.
	 * @param classifier Bean name of a FailureClassifier that is asked before all others.
	 * @param nested What happens to a failure that a call inside has retried.
	 * @param retryAfter Hints of servers.
	 */
	public record Policy(@Nullable String inherits, dev.backoff.@Nullable Preset preset, @Nullable Boolean enabled,
			@Nullable ShapeName shape, @Nullable Duration base, @Nullable Duration cap, @Nullable Double multiplier,
			@Nullable Duration step, @Nullable List<String> ladder, @Nullable String jitter,
			@Nullable String maxAttempts, @Nullable String deadline, @Nullable Duration shortestAttempt,
			@Nullable Duration throttledBase, @Nullable List<Class<? extends Throwable>> retryOn,
			@Nullable List<Class<? extends Throwable>> abortOn, @Nullable Boolean matchCauses,
			@Nullable String classifier, @Nullable Nested nested, @DefaultValue RetryAfter retryAfter) {
	}

	/**
	 * Hints of servers, such as the Retry-After header.
	 *
	 * @param enabled Whether hints are followed.
	 * @param max Longest hint that is followed; a longer one stops the call. The larger
	 * of one minute and the cap if not set.
	 */
	public record RetryAfter(@Nullable Boolean enabled, @Nullable Duration max) {
	}

	/**
	 * Meters.
	 *
	 * @param enabled Whether meters are published.
	 * @param slo Comma-separated list of durations that become buckets of the timers.
	 * @param calls Whether whole calls are counted and summed, or timed in full.
	 */
	public record Metrics(@DefaultValue("true") boolean enabled, @Nullable List<Duration> slo,
			@DefaultValue("counter") CallMeter calls) {
	}

	/**
	 * Calls over HTTP.
	 *
	 * @param hosts Comma-separated list of hosts that requests tell about their attempt:
	 * "orders.example.com", "*.example.com", each optionally with a port, or "*".
	 * @param attemptHeader Header with the number of the attempt.
	 * @param deadlineHeader Header with the time left, in milliseconds.
	 * @param idempotencyHeader Header with the key of work that is idempotent by key.
	 * @param inbound Whether these headers are read from requests that arrive.
	 */
	public record Http(@Nullable List<String> hosts, @DefaultValue(HttpSettings.ATTEMPT) String attemptHeader,
			@DefaultValue(HttpSettings.DEADLINE) String deadlineHeader,
			@DefaultValue(HttpSettings.IDEMPOTENCY) String idempotencyHeader, @DefaultValue("false") boolean inbound) {
	}

	/** How whole calls are measured. */
	public enum CallMeter {

		/** Exact count and total time, at the price of two adders. */
		COUNTER,

		/** A timer with a maximum and, if asked for, buckets. */
		TIMER

	}

}
