package dev.backoff.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Change how a Spring test retries. Tests with equal annotations can share an application
 * context.
 *
 * @since 0.1
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface TestBackoff {

	/** Whether calls wait in {@link VirtualTime} instead of the system's time. */
	boolean virtualTime() default true;

	/** The draws for jitter and breakers. */
	Chance chance() default Chance.MIDDLE;

	/** The seed of {@link Chance#SEEDED} and of {@link FaultScript#percent}. */
	long seed() default 1;

	/**
	 * Whether {@code @Scheduled} methods run in virtual time: only within
	 * {@link VirtualTime#advance}, on the thread that calls it.
	 */
	boolean scheduling() default false;

	/**
	 * Whether each test begins anew: calls that wait stop, sleeps in virtual time end,
	 * durable calls under way are removed, overrides end, breakers close, budgets fill,
	 * faults and records are cleared, and draws, jobs and the elapsed time begin again.
	 */
	boolean reset() default true;

}
