package dev.backoff.spring.policy;

import java.util.List;

import dev.backoff.spring.configuration.Problem;

/**
 * The methods that policies are used for. Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface PolicyUses {

	/**
	 * Return the methods known so far, each with the policy in effect, ordered by the
	 * name of the method.
	 */
	List<PolicyUse> uses();

	/** Return the methods with a candidate's policies, except methods with problems. */
	List<PolicyUse> uses(PolicyResolver candidate, List<Problem> problems);

	/** Return whether another library makes attempts by the delays of a policy. */
	boolean isAdapted(String policy);

}
