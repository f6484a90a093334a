package dev.backoff.spring.policy;

import java.util.List;

import dev.backoff.spring.configuration.Problem;

/**
 * The methods that policies are used for. Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface PolicyUses {

	/** Return the methods known so far with the policies in effect, ordered by name. */
	List<PolicyUse> uses();

	/** Return the methods with a candidate's policies, except methods with problems. */
	List<PolicyUse> uses(PolicyResolver candidate, List<Problem> problems);

	/** Return whether another library makes attempts by the delays of a policy. */
	boolean isAdapted(String policy);

	/**
	 * A method and the policy in effect for it.
	 *
	 * @param method the method's name in meters and logs, with parameters for overloads
	 * @param annotated the method with its annotations
	 * @param policy the policy in effect for the method
	 * @param advice the start-up advice on the method, as sentences
	 */
	record PolicyUse(String method, AnnotatedMethod annotated, EffectivePolicy policy, List<String> advice) {
	}

}
