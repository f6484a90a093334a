package dev.backoff.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Retry a method when it fails. <pre class="code">
 * &#64;Backoff(value = "orders", maxAttempts = "5", idempotent = "by-key", recover = "park")
 * public Receipt place(Order order) {
 *     return this.partner.place(order, Attempt.current().idempotencyKey());
 * }
 *
 * Receipt park(Order order, RetriesStoppedException report) { ... }
 * </pre> Without attributes, a call makes up to four attempts, with delays drawn from 0
 * up to 100, 200 and 400 ms. Any exception is retried except programming errors, refusals
 * and permanent failures. All text attributes but {@link #retryWhen()}, {@link #until()},
 * {@link #recover()}, {@link #key()} and {@link #per()} take
 * <code>${placeholders}</code>. {@code backoff.policies.<name>} overrides a method's
 * annotation, which overrides the annotation of its type; {@code backoff.defaults} comes
 * last. A proxy advises no private, static and final methods, and no calls of a bean to
 * itself.
 *
 * @since 0.1
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
public @interface Backoff {

	/**
	 * The policy's name: its key below {@code backoff.policies}, and the name in logs and
	 * meters. The default is {@code SimpleClassName.method}.
	 * @return a name
	 */
	String value() default "";

	/**
	 * A set of numbers for a situation: {@code user-facing}, {@code background},
	 * {@code message}, {@code critical}, {@code health-check}, {@code short-job},
	 * {@code medium-job} or {@code long-job}.
	 * @return a preset
	 */
	String preset() default "";

	/**
	 * How delays grow: {@code fixed}, {@code linear}, {@code exponential} (the default)
	 * or {@code ladder}.
	 * @return a shape
	 */
	String shape() default "";

	/**
	 * The delay before the first retry, before jitter; 100 ms by default.
	 * @return a duration, such as {@code 200ms}, {@code 2s} or {@code PT0.2S}; only 0
	 * needs no unit
	 */
	String base() default "";

	/**
	 * The longest delay. By default it is 10 s or 100 times the base, whichever is
	 * longer; a ladder has no cap by default.
	 * @return a duration, not below the base
	 */
	String cap() default "";

	/**
	 * The factor from delay to delay of an exponential shape; 2 by default.
	 * @return a number of at least 1
	 */
	String multiplier() default "";

	/**
	 * The growth from delay to delay of a linear shape; the base by default.
	 * @return a duration
	 */
	String step() default "";

	/**
	 * A list of fixed delays (levels), such as {@code {"1s x5", "10s x3", "30s"}}; the
	 * last level repeats. If {@link #maxAttempts()} is not set beside it, there are as
	 * many retries as levels; with a deadline, the last level repeats until the deadline.
	 * @return durations, each with an optional number of times
	 */
	String[] ladder() default {};

	/**
	 * How chance spreads the delays, such as {@code full} (the default), {@code 20%} (the
	 * default of a ladder) or {@code none}: any text that {@code Jitter.parse} reads.
	 * @return a jitter
	 */
	String jitter() default "";

	/**
	 * The number of all attempts, the first call included; 4 by default.
	 * @return a number of at least 1, or {@code unlimited}
	 */
	String maxAttempts() default "";

	/**
	 * The time for the whole call, waits included. After the deadline no attempt starts.
	 * A slow attempt that succeeds after the deadline still counts.
	 * @return a duration, or {@code none} (the default)
	 */
	String deadline() default "";

	/**
	 * The time for each attempt, or the time until the deadline if that is shorter. An
	 * attempt that takes longer is interrupted, or cancelled if it is asynchronous, and
	 * fails with an {@code AttemptTimeoutException}, which is transient. Work that does
	 * not react to interruption ends late.
	 * @return a duration, or {@code none} (the default)
	 */
	String attemptTimeout() default "";

	/**
	 * The failures to retry, instead of those that are retried by default. Subtypes are
	 * included and causes are searched.
	 * @return exception types
	 */
	Class<? extends Throwable>[] retryOn() default {};

	/**
	 * The failures that are never retried. This list outweighs all other settings.
	 * @return exception types
	 */
	Class<? extends Throwable>[] abortOn() default {};

	/**
	 * An expression over {@code #result} and {@code #root.args} that is true for a result
	 * which counts as a failure, such as {@code #result == false}.
	 * @return a SpEL expression
	 */
	String retryWhen() default "";

	/**
	 * An expression over {@code #result} and {@code #root.args} that is true for a result
	 * which is final, for polling, such as {@code #result.status.name != 'PENDING'}.
	 * @return a SpEL expression
	 */
	String until() default "";

	/**
	 * The bean name of a {@code FailureClassifier} that is asked before all others, for
	 * this policy only. With {@code none}, no classifier and no built-in rule judges
	 * failures: {@link #retryOn()} and {@link #abortOn()} decide alone.
	 * @return a bean name, or {@code none}
	 */
	String classifier() default "";

	/**
	 * The circuit breaker: a key below {@code backoff.breakers}. By default it is the
	 * policy's name, but only if that key exists; otherwise the policy has no breaker. A
	 * policy whose own name is set here gets a breaker with the default numbers.
	 * @return a name, or {@code none}
	 */
	String breaker() default "";

	/**
	 * What divides breaker and pace, so that each key has its own and the outage of one
	 * tenant rejects no other: an expression over the parameters and {@code #root.args},
	 * such as {@code #tenant}. For null, both are those of all calls without a key.
	 * Budget and concurrency are not divided.
	 * @return a SpEL expression that gives a text, a number, an enum or a UUID
	 */
	String per() default "";

	/**
	 * The budget of retries: a key below {@code backoff.budgets}. By default it is the
	 * policy's name. If that key does not exist, the budget has the default numbers.
	 * @return a name, or {@code none}
	 */
	String budget() default "";

	/**
	 * The pace: the name of a quota at a server. The attempts of all policies that name
	 * it wait in one queue while the server refuses, and go no faster than the quota
	 * allows. A name needs no key below {@code backoff.paces}.
	 * @return a name, or {@code none} (the default)
	 */
	String pace() default "";

	/**
	 * Whether work that was applied already may be applied again. With {@code false}, a
	 * failure after which the work may have been applied is not retried; with
	 * {@code by-key} it is retried, as the server applies work with one key only once.
	 * With {@code by-method} it is not retried after a POST or another unsafe HTTP
	 * request. Polling and durable calls are repeatable unless this is set.
	 * @return {@code by-method} (the default), {@code true} or {@code yes}, {@code false}
	 * or {@code no}, or {@code by-key}
	 */
	String idempotent() default "";

	/**
	 * How many attempts of the policy may run at once in this process. Each attempt holds
	 * a permit, which is free while the call waits; further attempts wait for a permit.
	 * @return a number of at least 1, or {@code none} (the default)
	 */
	String concurrency() default "";

	/**
	 * A method of the same bean that takes over when the retries have stopped without
	 * success. It takes the first parameters of the retried method: all, some or none. A
	 * {@code Throwable} or a {@code RetriesStoppedException} may stand before or after
	 * them. Its return type is compatible.
	 * @return a method name
	 */
	String recover() default "";

	/**
	 * Whether calls are stored, so that they survive the end of the process. The caller
	 * gets a handle at once, and the call is made and retried in the background, at least
	 * once. Stored calls need the module {@code retry-durable-spring-boot-starter}, a
	 * name, and a method that returns nothing or a {@code DurableCall}.
	 * @return {@code true}, or {@code false} (the default)
	 */
	String durable() default "";

	/**
	 * The key of a durable call: an expression over the parameters and
	 * {@code #root.args}, such as {@code #trade}. While a call is stored, another call
	 * with its key joins it. Without an expression, calls never join.
	 * @return a SpEL expression that gives a text, a number, an enum or a UUID
	 */
	String key() default "";

	/**
	 * When a durable method without parameters is called automatically, once for all
	 * processes that share the database. The schedule is a Spring cron expression of six
	 * fields, or {@code every} and a duration, counted from the end of the previous call.
	 * @return a schedule, such as {@code 0 0 3 * * *} or {@code every 10m}
	 */
	String schedule() default "";

	/**
	 * The time zone of a cron expression, by default the system's.
	 * @return a zone, such as {@code Europe/Berlin}
	 */
	String scheduleZone() default "";

}
