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

	/** The time in which calls wait. */
	TimeKind time() default TimeKind.VIRTUAL;

	/** What is drawn for jitter and breakers. */
	Chance chance() default Chance.MIDDLE;

	/** The seed of {@link Chance#SEEDED} and of {@link FaultScript#percent}. */
	long seed() default 1;

	/**
	 * Whether {@code @Scheduled} methods run in virtual time: only within
	 * {@link VirtualTime#advance}, on the thread that calls it.
	 */
	boolean scheduling() default false;

	/**
	 * Whether each test begins anew: calls that wait stop, threads that sleep in virtual
	 * time wake, durable calls under way are removed, live overrides end, breakers close,
	 * budgets fill, raised delays end, faults and recorded calls are cleared, draws and
	 * scheduled jobs begin again, and {@link VirtualTime#elapsed()} is zero.
	 */
	boolean reset() default true;

}
