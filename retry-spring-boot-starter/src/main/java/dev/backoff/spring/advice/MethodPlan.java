package dev.backoff.spring.advice;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.EffectivePolicy;

/**
 * What is known of an annotated method before its first call, checked.
 *
 * @param method the method with its annotations
 * @param label the method as meters and logs call it
 * @param manner how it gives its result
 * @param policy what is in effect for it
 * @param retryWhen the condition for results that count as failures, or null
 * @param until the condition for results that are final, or null
 * @param recover what takes over after an unsuccessful stop, or null
 */
record MethodPlan(AnnotatedMethod method, String label, Manner manner, EffectivePolicy policy,
		@Nullable ResultExpression retryWhen, @Nullable ResultExpression until, @Nullable RecoverMethods recover) {

	/** Return the plan under another policy. */
	MethodPlan with(EffectivePolicy policy) {
		return new MethodPlan(this.method, this.label, this.manner, policy, this.retryWhen, this.until, this.recover);
	}

}
