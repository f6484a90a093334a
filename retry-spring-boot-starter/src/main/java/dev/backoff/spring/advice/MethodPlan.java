package dev.backoff.spring.advice;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.EffectivePolicy;

/**
 * The checked values of an annotated method, known before its first call.
 *
 * @param method the method with its annotations
 * @param label the name of the method in meters and logs
 * @param manner how the method gives its result
 * @param policy the policy in effect
 * @param retryWhen the condition for results that count as failures, or null
 * @param until the condition for results that are final, or null
 * @param recover the methods that follow an unsuccessful stop, or null
 */
record MethodPlan(AnnotatedMethod method, String label, Manner manner, EffectivePolicy policy,
		@Nullable ResultExpression retryWhen, @Nullable ResultExpression until,
		@Nullable RecoverMethods recover) implements RetryPlan {
}
