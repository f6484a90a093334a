package dev.backoff.spring.policy;

import java.util.List;

import dev.backoff.spring.configuration.Problem;

/** The methods that policies are used for. Implementations are thread-safe. @since 0.1 */
public interface PolicyUses {

	/**
	 * {@return what is in effect for the methods known so far; the methods with their
	 * policies, ordered by name}
	 */
	List<PolicyUse> uses();

	/**
	 * Return what would be in effect for them.
	 * @param candidate resolves policies by another configuration
	 * @param problems gets what is wrong
	 * @return the methods with their policies, those with problems left out
	 */
	List<PolicyUse> uses(BackoffPolicies.Candidate candidate, List<Problem> problems);

	/**
	 * Return what is probably not meant in a policy by itself.
	 * @param policy a policy of any configuration
	 * @return sentences
	 */
	List<String> advice(EffectivePolicy policy);

	/**
	 * Return whether another library makes attempts by the delays of a policy.
	 * @param policy the policy's name
	 * @return true once an adapter was made for it
	 */
	boolean isAdapted(String policy);

}
