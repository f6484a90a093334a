package dev.backoff.spring.configuration;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

import dev.backoff.policy.Preset;

/**
 * The schema of the keys below {@code backoff}, for editors. It is not bound: values are
 * read as text with file and line. The values in effect are at {@code /actuator/backoff}.
 * <p>
 * An environment variable overrides the policy it means, which a bound map cannot do. The
 * additional metadata explains the words of enumerations. The durable module describes
 * the keys below {@code backoff.durable}.
 *
 * @param enabled Whether methods are retried and measured.
 * @param retriesEnabled Whether retries are made. Without retries, first attempts,
 * recovery, meters and polling still work.
 * @param unknownKeys How the start-up reacts to an unknown key.
 * @param instances Number of processes that run the application at once. Each process
 * divides a budget's tokens and tokens per second by this number, but keeps at least five
 * tokens.
 * @param random Random source of the jitter.
 * @param mode How annotated methods are advised.
 * @param otherRetries What is logged after start-up about other retries.
 * @param defaults Values for all policies that do not set their own.
 * @param policies Policies by name. Names are compared by letters and digits only. A
 * method without a policy name has a policy such as "[OrderService.place]".
 * @param breakers Circuit breakers by name. Names are compared by letters and digits
 * only. A policy uses the breaker that it names, or else a breaker of its own name.
 * @param budgets Budgets of retries by name. Names are compared by letters and digits
 * only. A policy uses the budget that it names, or else a budget of its own name.
 * @param paces Paces by name. Names are compared by letters and digits only. One pace is
 * one quota of a server, such as an account. Policies whose calls use that quota name its
 * pace. A pace that is not defined has the default numbers.
 * @param metrics Meters.
 * @param observation Observations, which become spans where traces are recorded.
 * @param http Calls over HTTP.
 * @param endpoint Endpoint.
 * @param health Health.
 * @param shutdown Closing the application.
 */
@ConfigurationProperties("backoff")
public record BackoffProperties(@DefaultValue("true") boolean enabled, @DefaultValue("true") boolean retriesEnabled,
		@DefaultValue("error") UnknownKeys unknownKeys, @DefaultValue("1") int instances,
		@DefaultValue("fast") RandomKind random, @DefaultValue("proxy") AdviceMode mode,
		@DefaultValue("warn") OtherRetries otherRetries, @DefaultValue Policy defaults,
		@DefaultValue Map<String, Policy> policies, @DefaultValue Map<String, Breaker> breakers,
		@DefaultValue Map<String, Budget> budgets, @DefaultValue Map<String, Pace> paces, @DefaultValue Metrics metrics,
		@DefaultValue Observation observation, @DefaultValue Http http, @DefaultValue Endpoint endpoint,
		@DefaultValue Health health, @DefaultValue Shutdown shutdown) {

	public enum UnknownKeys {

		ERROR, WARN

	}

	public enum RandomKind {

		FAST, SECURE

	}

	public enum AdviceMode {

		PROXY, ASPECTJ

	}

	public enum OtherRetries {

		WARN, OFF

	}

	public enum ShapeName {

		FIXED, LINEAR, EXPONENTIAL, LADDER

	}

	public enum Nested {

		STOP, MULTIPLY

	}

	public enum WhenEmpty {

		STOP, WAIT

	}

	public enum OnOpen {

		FAIL, WAIT

	}

	/**
	 * The keys of a policy.
	 *
	 * @param inherits Policy that supplies the values that this policy does not set.
	 * @param preset Set of numbers for a situation.
	 * @param enabled Whether this policy retries.
	 * @param shape How delays grow.
	 * @param base Delay before the first retry, before jitter.
	 * @param cap Longest delay, not below the base. If not set, 10s or 100 times the
	 * base, whichever is longer.
	 * @param multiplier Growth factor of an exponential shape, at least 1.
	 * @param step Growth of a linear shape. If not set, the base.
	 * @param ladder Comma-separated list of delays, each with an optional repeat count.
	 * The last delay repeats.
	 * @param jitter Randomness of the delays.
	 * @param maxAttempts Number of all attempts, the first call included, or "unlimited".
	 * @param deadline Time limit of the whole call, waits included, or "none". After the
	 * deadline, no attempt starts.
	 * @param attemptTimeout Time after which an attempt is interrupted or cancelled, or
	 * "none".
	 * @param shortestAttempt Least time left before the deadline for an attempt to start.
	 * @param finalPoll Whether polling makes a last attempt just before the deadline.
	 * @param throttledBase Least base delay after a throttled failure such as HTTP 429,
	 * at most the cap.
	 * @param retryOn Comma-separated list of exception types to retry. If not set, all
	 * types except programming errors.
	 * @param abortOn Comma-separated list of exception types never to retry. The lists of
	 * all levels are combined.
	 * @param matchCauses Whether retry-on and abort-on also match an exception's causes.
	 * @param classifier Bean name of a FailureClassifier that is asked before all others,
	 * and only by policies that name it. With "none", only retry-on and abort-on decide.
	 * @param nested What happens to a failure that an inner call has already retried.
	 * @param replay Whether a stream is retried after it has delivered elements. The
	 * subscriber then gets these elements again.
	 * @param durable Whether calls are stored and run in the background.
	 * @param schedule Times at which the library calls a durable method: a cron
	 * expression of six fields, or "every 10m".
	 * @param scheduleZone Time zone of the cron expression. If not set, the time zone of
	 * the system.
	 * @param breaker Name of the circuit breaker, or "none". If not set, a breaker that
	 * is defined with the policy's own name.
	 * @param budget Name of the budget of retries, or "none". If not set, the policy has
	 * a budget of its own name.
	 * @param pace Name of the pace, or "none". Attempts with one pace wait in one queue
	 * and go no faster than the server's quota allows.
	 * @param idempotent Whether work may be applied twice: true, false, "by-key" if the
	 * server honours the idempotency key, or "by-method" to decide by the methods of the
	 * HTTP requests.
	 * @param whenEmpty What happens to a retry if the budget is empty.
	 * @param concurrency Maximum number of attempts at once in this process, or "none".
	 * @param maxWaiting Number of attempts that may wait because of concurrency, or
	 * "unlimited". If not set, 10 times the concurrency.
	 * @param retryAfter Hints of servers.
	 */
	@ConfigurationPropertiesSource
	public record Policy(@Nullable String inherits, @Nullable Preset preset, @Nullable Boolean enabled,
			@Nullable ShapeName shape, @Nullable Duration base, @Nullable Duration cap, @Nullable Double multiplier,
			@Nullable Duration step, @Nullable List<String> ladder, @Nullable String jitter,
			@Nullable String maxAttempts, @Nullable String deadline, @Nullable String attemptTimeout,
			@Nullable Duration shortestAttempt, @Nullable Boolean finalPoll, @Nullable Duration throttledBase,
			@Nullable List<Class<? extends Throwable>> retryOn, @Nullable List<Class<? extends Throwable>> abortOn,
			@Nullable Boolean matchCauses, @Nullable String classifier, @Nullable Nested nested,
			@Nullable Boolean replay, @Nullable Boolean durable, @Nullable String schedule,
			@Nullable String scheduleZone, @Nullable String breaker, @Nullable String budget, @Nullable String pace,
			@Nullable String idempotent, @Nullable WhenEmpty whenEmpty, @Nullable String concurrency,
			@Nullable String maxWaiting, @DefaultValue RetryAfter retryAfter) {
	}

	/**
	 * Hints of servers, such as the Retry-After header.
	 *
	 * @param enabled Whether hints of servers are followed.
	 * @param max Longest hint that is followed. A longer hint stops the call. If not set,
	 * one minute or a cap that you set, whichever is longer.
	 */
	public record RetryAfter(@Nullable Boolean enabled, @Nullable Duration max) {
	}

	/**
	 * The keys of a circuit breaker.
	 *
	 * @param failureRate Percentage of failed attempts at which the breaker opens.
	 * @param slowCall Time above which an attempt counts as slow, or "none".
	 * @param slowCallRate Percentage of slow attempts at which the breaker opens.
	 * @param window Window of counted attempts: a duration, or a number such as "100
	 * calls".
	 * @param minimumCalls Least number of attempts in the window for the breaker to open.
	 * @param openFor Longest time that the breaker stays open before it probes. Each time
	 * is random, from half of this to all of it.
	 * @param openForMultiplier Growth factor of open-for while probes fail, at least 1.
	 * @param probes Number of attempts that the half-open breaker permits.
	 * @param halfOpenTimeout Time that probes may take before the breaker opens again. If
	 * not set, open-for.
	 * @param onOpen What happens to a call whose attempt the breaker rejects.
	 */
	@ConfigurationPropertiesSource
	public record Breaker(@DefaultValue("50%") String failureRate, @DefaultValue("none") String slowCall,
			@DefaultValue("80%") String slowCallRate, @DefaultValue("30s") String window,
			@DefaultValue("20") int minimumCalls, @DefaultValue("30s") Duration openFor,
			@DefaultValue("1") double openForMultiplier, @DefaultValue("3") int probes,
			@Nullable Duration halfOpenTimeout, @DefaultValue("fail") OnOpen onOpen) {
	}

	/**
	 * The keys of a budget of retries.
	 *
	 * @param tokens Number of tokens in a full bucket. The bucket starts full.
	 * @param perSuccess Number of tokens that a successful call puts back, besides the
	 * tokens that its retries took.
	 * @param perSecond Number of tokens that are put back each second.
	 */
	@ConfigurationPropertiesSource
	public record Budget(@DefaultValue("50") double tokens, @DefaultValue("0.1") double perSuccess,
			@DefaultValue("0.1") double perSecond) {
	}

	/**
	 * The keys of a pace.
	 *
	 * @param maxHold Longest time for which one answer of the server holds the queue.
	 * Afterwards, one attempt probes.
	 * @param maxWaiting Number of calls that may wait for their turn, or "unlimited".
	 */
	@ConfigurationPropertiesSource
	public record Pace(@DefaultValue("1m") Duration maxHold, @DefaultValue("1000") String maxWaiting) {
	}

	/**
	 * Meters.
	 *
	 * @param enabled Whether meters are published.
	 * @param slo Comma-separated list of durations that become buckets of the timers.
	 * @param durations Whether whole calls are timed, including their waits.
	 */
	public record Metrics(@DefaultValue("true") boolean enabled, @Nullable List<Duration> slo,
			@DefaultValue("false") boolean durations) {
	}

	/**
	 * Observations.
	 *
	 * @param enabled Whether calls and attempts are observed by the application's
	 * ObservationRegistry.
	 */
	public record Observation(@DefaultValue("false") boolean enabled) {
	}

	/**
	 * Calls over HTTP.
	 *
	 * @param hosts Comma-separated list of hosts that get the attempt's headers, each
	 * optionally with a port.
	 * @param attemptHeader Header with the number of the attempt.
	 * @param deadlineHeader Header with the time left, in milliseconds.
	 * @param idempotencyHeader Header with the idempotency key of by-key policies.
	 * @param inbound Whether attempt and deadline headers of incoming requests are read.
	 */
	public record Http(@Nullable List<String> hosts, @DefaultValue(HttpSettings.ATTEMPT) String attemptHeader,
			@DefaultValue(HttpSettings.DEADLINE) String deadlineHeader,
			@DefaultValue(HttpSettings.IDEMPOTENCY) String idempotencyHeader, @DefaultValue("false") boolean inbound) {
	}

	/**
	 * Endpoint.
	 *
	 * @param messages Whether the endpoint shows messages of exceptions, which may
	 * contain arguments.
	 */
	public record Endpoint(@DefaultValue("false") boolean messages) {
	}

	/**
	 * Health.
	 *
	 * @param breakers Whether an open circuit breaker makes the application's health
	 * DOWN.
	 */
	public record Health(@DefaultValue("false") boolean breakers) {
	}

	/**
	 * Closing the application.
	 *
	 * @param time Time that running calls get to finish before beans are destroyed.
	 * Waiting calls end at once, and nothing is retried any more.
	 */
	public record Shutdown(@Name("wait") @DefaultValue("0ms") Duration time) {
	}

}
