package dev.backoff.spring.policy;

/**
 * A rule of a platform for the policies of its applications. Each such bean is asked
 * about every policy at start-up, at each change, and when a policy is found later. What
 * it refuses stops the start or the change, with all other problems in one report; so
 * does a rule that throws. Rules are made before other beans: declare them by
 * {@code static} {@code @Bean} methods, without dependencies on other beans.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface PolicyRule {

	/** Object to values in effect, or do nothing. */
	void check(PolicyView policy, Objections objections);

}
