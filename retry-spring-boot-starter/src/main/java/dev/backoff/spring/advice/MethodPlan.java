package dev.backoff.spring.advice;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.EffectivePolicy;

/**
 * The checked values of an annotated method, known before its first call. A condition, a
 * key or a recovery that the annotation does not set is null.
 */
record MethodPlan(AnnotatedMethod method, String label, ReturnTypeAdapter adapter, EffectivePolicy policy,
		@Nullable ResultExpression retryWhen, @Nullable ResultExpression until, @Nullable KeyExpression per,
		@Nullable RecoverMethods recover) implements RetryFactory.Plan {

	@Nullable String typeOfKey() {
		return (this.per != null && this.per.type() != null) ? this.per.type().getSimpleName() : null;
	}

}
