package dev.backoff.spring.advice;

import org.jspecify.annotations.Nullable;

import dev.backoff.policy.RetryCondition;
import dev.backoff.spring.policy.EffectivePolicy;

/** The values that a {@link dev.backoff.Retry} is made from. Immutable. */
interface RetryPlan {

	/** Return the name of the calls in meters and logs. */
	String label();

	/** Return the policy in effect. */
	EffectivePolicy policy();

	/** Return the condition for results that count as failures, or null. */
	default @Nullable RetryCondition retryWhen() {
		return null;
	}

	/** Return the condition for results that are final, or null. */
	default @Nullable RetryCondition until() {
		return null;
	}

}
