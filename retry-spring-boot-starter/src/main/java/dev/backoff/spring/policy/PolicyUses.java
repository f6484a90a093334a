package dev.backoff.spring.policy;

import java.util.List;

import dev.backoff.spring.configuration.Problem;

/** The methods that policies are used for. Implementations are thread-safe. @since 0.1 */
public interface PolicyUses {

	/**
	 * Return what is in effect for the methods known so far; the methods with their
	 * policies, ordered by name.
	 */
	List<PolicyUse> uses();

	/** Return what would be in effect for them; methods with problems are left out. */
	List<PolicyUse> uses(BackoffPolicies.Candidate candidate, List<Problem> problems);

	/** Return what is probably not meant in a policy by itself, as sentences. */
	List<String> advice(EffectivePolicy policy);

	/** Return whether another library makes attempts by the delays of a policy. */
	boolean isAdapted(String policy);

}
