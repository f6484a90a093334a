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
 * </pre> Without attributes: four attempts, waits drawn from 0 up to 100, 200 and 400 ms,
 * any exception but programming errors and permanent failures. Attributes are texts; all
 * but {@link #retryWhen()}, {@link #until()}, {@link #recover()} and {@link #key()} take
 * <code>${placeholders}</code>. {@code backoff.policies.<name>} wins over a method's
 * annotation, this over its type's, and all over {@code backoff.defaults}. A proxy
 * advises no private, static and final methods, and no calls of a bean to itself.
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
	 * meters. Without one, {@code SimpleClassName.method}.
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
	 * The longest delay; by default 10 s or 100 times the base, the longer of the two,
	 * and none for a ladder.
	 * @return a duration, not below the base
	 */
	String cap() default "";

	/**
	 * The growth of an exponential; 2 by default.
	 * @return a number of at least 1
	 */
	String multiplier() default "";

	/**
	 * The growth of a linear shape; the base by default.
	 * @return a duration
	 */
	String step() default "";

	/**
	 * The delays one after the other, such as {@code {"1s x5", "10s x3", "30s"}}; the
	 * last one repeats. Where {@link #maxAttempts()} is not set beside it, there are as
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
	 * All attempts, the first call included; 4 by default.
	 * @return a number of at least 1, or {@code unlimited}
	 */
	String maxAttempts() default "";

	/**
	 * The time for the whole call, waits included: after it no attempt starts. A slow
	 * attempt that succeeds is not cut.
	 * @return a duration, or {@code none} (the default)
	 */
	String deadline() default "";

	/**
	 * The time for each attempt, never longer than what the deadline has left. An attempt
	 * that takes longer is interrupted, or cancelled if it is asynchronous, and fails
	 * with an {@code AttemptTimeoutException}, which is transient. Work that does not
	 * react to interruption ends late.
	 * @return a duration, or {@code none} (the default)
	 */
	String attemptTimeout() default "";

	/**
	 * The failures to retry, instead of all but programming errors; subtypes are included
	 * and causes are searched.
	 * @return exception types
	 */
	Class<? extends Throwable>[] retryOn() default {};

	/**
	 * The failures never to retry, which outweighs all other settings.
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
	 * this policy only. With {@code none} no classifier is asked and nothing is judged:
	 * {@link #retryOn()} and {@link #abortOn()} decide alone.
	 * @return a bean name, or {@code none}
	 */
	String classifier() default "";

	/**
	 * The circuit breaker: a key below {@code backoff.breakers}. By default it is the
	 * policy's name, and there is none unless that key exists; a policy that names itself
	 * here gets the default numbers.
	 * @return a name, or {@code none}
	 */
	String breaker() default "";

	/**
	 * The budget of retries: a key below {@code backoff.budgets}. By default it is the
	 * policy's name, with the default numbers unless that key exists.
	 * @return a name, or {@code none}
	 */
	String budget() default "";

	/**
	 * Whether work that was applied already may be applied again. With {@code false}, a
	 * failure after which the work may have been applied is not retried; with
	 * {@code by-key} it is, since the server applies work with one idempotency key once.
	 * @return {@code true} or {@code yes} (the default), {@code false} or {@code no}, or
	 * {@code by-key}
	 */
	String idempotent() default "";

	/**
	 * How many attempts of the policy run at once in this process. A permit is held for
	 * one attempt and free while the call waits; further attempts wait for one.
	 * @return a number of at least 1, or {@code none} (the default)
	 */
	String concurrency() default "";

	/**
	 * A method of the same bean that takes over when the retries have stopped without
	 * success: the first of the same parameters, from none to all, optionally a
	 * {@code Throwable} or a {@code RetriesStoppedException} before or after them, and a
	 * compatible return type.
	 * @return a method name
	 */
	String recover() default "";

	/**
	 * Whether calls are stored, so that they survive the end of the process: the caller
	 * gets a handle at once, and the call is made and retried in the background, at least
	 * once. It needs the module {@code retry-durable-spring-boot-starter}, a name, and a
	 * method that returns nothing or a {@code DurableCall}.
	 * @return {@code true}, or {@code false} (the default)
	 */
	String durable() default "";

	/**
	 * The key of a durable call: an expression over the parameters and
	 * {@code #root.args}, such as {@code #trade}. While a call of a key is stored,
	 * another one joins it. Without an expression each call is its own.
	 * @return a SpEL expression that gives a text, a number, an enum or a UUID
	 */
	String key() default "";

	/**
	 * When a durable method without parameters is called by itself, once in all processes
	 * that share the database: a Spring cron expression of six fields, or {@code every}
	 * and a duration, counted from the end of the call before.
	 * @return a schedule, such as {@code 0 0 3 * * *} or {@code every 10m}
	 */
	String schedule() default "";

	/**
	 * The time zone of a cron expression, that of the system by default.
	 * @return a zone, such as {@code Europe/Berlin}
	 */
	String scheduleZone() default "";

}
