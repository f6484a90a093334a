package dev.backoff.spring.configuration;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * The schema of the keys below {@code backoff}, for editors, and not bound: values are
 * read as text with file and line, and those in effect are at {@code /actuator/backoff}.
 * <p>
 * A variable overrides the policy it means, which a bound map cannot do. What the words
 * of an enumeration mean stands in the additional metadata. Keys below
 * {@code backoff.durable} are described by the module that has them.
 *
 * @param enabled Whether methods are retried and measured.
 * @param retriesEnabled Whether retries are made; if not, first attempts, recovery,
 * meters and polling stay.
 * @param unknownKeys What an unknown key does at start-up.
 * @param instances Processes of the application that run at once. They share a budget's
 * tokens, at least five each, and its tokens per second.
 * @param random Random source of the jitter.
 * @param mode How annotated methods are advised.
 * @param otherRetries What is logged after start-up about other retries.
 * @param defaults Values for all policies that set none of their own.
 * @param policies Policies by name. Compared by letters and digits only; an unnamed
 * method's policy is "[OrderService.place]".
 * @param breakers Circuit breakers by name. Compared by letters and digits only; a policy
 * uses the one of its own name, if it is here, or the one it names.
 * @param budgets Budgets of retries by name. Compared by letters and digits only; a
 * policy uses the one of its own name or the one it names.
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
		@DefaultValue Map<String, Budget> budgets, @DefaultValue Metrics metrics, @DefaultValue Observation observation,
		@DefaultValue Http http, @DefaultValue Endpoint endpoint, @DefaultValue Health health,
		@DefaultValue Shutdown shutdown) {

	/** What an unknown key does at start-up. */
	public enum UnknownKeys {

		ERROR, WARN

	}

	/** The source of chance. */
	public enum RandomKind {

		FAST, SECURE

	}

	/** How annotated methods are advised. */
	public enum AdviceMode {

		PROXY, ASPECTJ

	}

	/** What is logged about other retries. */
	public enum OtherRetries {

		WARN, OFF

	}

	/** How delays grow. */
	public enum ShapeName {

		FIXED, LINEAR, EXPONENTIAL, LADDER

	}

	/** What happens to a failure that an inner call has already retried. */
	public enum Nested {

		STOP, MULTIPLY

	}

	/** What an empty budget does. */
	public enum WhenEmpty {

		STOP, WAIT

	}

	/** Library that has the circuit breaker. */
	public enum BreakerProvider {

		OWN, RESILIENCE4J

	}

	/** What a refused call does. */
	public enum OnOpen {

		FAIL, WAIT

	}

	/**
	 * The keys of a policy.
	 *
	 * @param inherits Policy to take values from that this one does not set.
	 * @param preset Set of numbers for a situation.
	 * @param enabled Whether this policy retries.
	 * @param shape How delays grow.
	 * @param base Delay before the first retry, before jitter.
	 * @param cap Longest delay. Not below the base. If not set, 10s, or 100 times the
	 * base if that is longer.
	 * @param multiplier Growth of an exponential shape, at least 1.
	 * @param step Growth of a linear shape; the base if not set.
	 * @param ladder Comma-separated list of delays, each with an optional number of
	 * times; the last one repeats.
	 * @param jitter Randomness of the delays.
	 * @param maxAttempts Number of all attempts, the first call included, or "unlimited".
	 * @param deadline Time for the whole call, waits included, or "none". After it no
	 * attempt starts.
	 * @param attemptTimeout Time after which an attempt is interrupted or cancelled, or
	 * "none".
	 * @param shortestAttempt Least time before the deadline that an attempt needs.
	 * @param finalPoll Whether polling asks once more just before the deadline.
	 * @param throttledBase Least base after a throttled failure such as HTTP 429, at most
	 * the cap.
	 * @param retryOn Comma-separated list of exception types to retry, instead of all but
	 * programming errors.
	 * @param abortOn Comma-separated list of exception types never to retry. Adds up over
	 * all levels.
	 * @param matchCauses Whether retry-on and abort-on apply to causes too.
	 * @param classifier Bean name of a FailureClassifier that is asked before all others,
	 * or "none": retry-on and abort-on decide alone.
	 * @param nested What happens to a failure that an inner call has already retried.
	 * @param replay Whether a stream is retried after elements have been passed on, which
	 * then come again.
	 * @param durable Whether calls are stored and made in the background.
	 * @param schedule When a durable method is called by itself: a cron expression of six
	 * fields, or "every 10m".
	 * @param scheduleZone Time zone of the cron expression; that of the system if not
	 * set.
	 * @param breaker Name of the circuit breaker, or "none"; the policy's own name if not
	 * set.
	 * @param budget Name of the budget of retries, or "none"; the policy's own name if
	 * not set.
	 * @param idempotent Whether work may be applied twice: true, false, or "by-key" if
	 * the server honours the idempotency key.
	 * @param whenEmpty What an empty budget does.
	 * @param concurrency Number of attempts that run at once in this process, or "none".
	 * @param maxWaiting Number of attempts that may wait for a permit, or "unlimited". If
	 * not set, 10 times the concurrency.
	 * @param retryAfter Hints of servers.
	 */
	@ConfigurationPropertiesSource
	public record Policy(@Nullable String inherits, dev.backoff.policy.@Nullable Preset preset,
			@Nullable Boolean enabled, @Nullable ShapeName shape, @Nullable Duration base, @Nullable Duration cap,
			@Nullable Double multiplier, @Nullable Duration step, @Nullable List<String> ladder,
			@Nullable String jitter, @Nullable String maxAttempts, @Nullable String deadline,
			@Nullable String attemptTimeout, @Nullable Duration shortestAttempt, @Nullable Boolean finalPoll,
			@Nullable Duration throttledBase, @Nullable List<Class<? extends Throwable>> retryOn,
			@Nullable List<Class<? extends Throwable>> abortOn, @Nullable Boolean matchCauses,
			@Nullable String classifier, @Nullable Nested nested, @Nullable Boolean replay, @Nullable Boolean durable,
			@Nullable String schedule, @Nullable String scheduleZone, @Nullable String breaker, @Nullable String budget,
			@Nullable String idempotent, @Nullable WhenEmpty whenEmpty, @Nullable String concurrency,
			@Nullable String maxWaiting, @DefaultValue RetryAfter retryAfter) {
	}

	/**
	 * Hints of servers, such as the Retry-After header.
	 *
	 * @param enabled Whether hints are followed.
	 * @param max Longest hint that is followed; a longer one stops the call. If not set,
	 * the larger of one minute and a cap that is set.
	 */
	public record RetryAfter(@Nullable Boolean enabled, @Nullable Duration max) {
	}

	/**
	 * The keys of a circuit breaker.
	 *
	 * @param provider Library that has the circuit breaker. With another one, only
	 * on-open may be set.
	 * @param failureRate Share of failed calls at which it opens, a percentage.
	 * @param slowCall Time that a call must exceed to count as slow, or "none".
	 * @param slowCallRate Share of slow calls at which it opens, a percentage.
	 * @param window How far back it counts: a duration, or a number such as "100 calls".
	 * @param minimumCalls Number of calls the window must hold before it opens.
	 * @param openFor Time it stays open at most before it probes; drawn from half of it
	 * to all of it.
	 * @param openForMultiplier Growth of that time while its probes fail, at least 1.
	 * @param probes Number of calls it lets through half-open.
	 * @param halfOpenTimeout Time its probes may take before it opens again; open-for if
	 * not set.
	 * @param onOpen What a refused call does.
	 */
	@ConfigurationPropertiesSource
	public record Breaker(@DefaultValue("own") BreakerProvider provider, @DefaultValue("50%") String failureRate,
			@DefaultValue("none") String slowCall, @DefaultValue("80%") String slowCallRate,
			@DefaultValue("30s") String window, @DefaultValue("20") int minimumCalls,
			@DefaultValue("30s") Duration openFor, @DefaultValue("1") double openForMultiplier,
			@DefaultValue("3") int probes, @Nullable Duration halfOpenTimeout, @DefaultValue("fail") OnOpen onOpen) {
	}

	/**
	 * The keys of a budget of retries.
	 *
	 * @param tokens Number of tokens in a full bucket, as at the start.
	 * @param perSuccess Number of tokens a successful call puts back, besides those that
	 * its retries took.
	 * @param perSecond Number of tokens each second puts back.
	 */
	@ConfigurationPropertiesSource
	public record Budget(@DefaultValue("50") double tokens, @DefaultValue("0.1") double perSuccess,
			@DefaultValue("0.1") double perSecond) {
	}

	/**
	 * Meters.
	 *
	 * @param enabled Whether meters are published.
	 * @param slo Comma-separated list of durations that become buckets of the timers.
	 * @param durations Whether whole calls are timed, waits included.
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
	 * @param hosts Comma-separated list of hosts that are told about the attempt, each
	 * optionally with a port.
	 * @param attemptHeader Header with the number of the attempt.
	 * @param deadlineHeader Header with the time left, in milliseconds.
	 * @param idempotencyHeader Header with the key of work that is idempotent by key.
	 * @param inbound Whether these headers are read from requests that arrive.
	 */
	public record Http(@Nullable List<String> hosts, @DefaultValue(HttpSettings.ATTEMPT) String attemptHeader,
			@DefaultValue(HttpSettings.DEADLINE) String deadlineHeader,
			@DefaultValue(HttpSettings.IDEMPOTENCY) String idempotencyHeader, @DefaultValue("false") boolean inbound) {
	}

	/**
	 * Endpoint.
	 *
	 * @param messages Whether messages of exceptions are shown, which may contain
	 * arguments.
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
	 * @param time Time that calls get to finish before beans are destroyed. Waiting calls
	 * are woken before, and nothing is retried any more.
	 */
	public record Shutdown(@Name("wait") @DefaultValue("0ms") Duration time) {
	}

}
