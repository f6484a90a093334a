package dev.backoff.spring.advice;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.EffectivePolicy;

/**
 * What is known of an annotated method before its first call, checked.
 *
 * @param method the method with its annotations
 * @param label the method as meters and logs call it
 * @param policy what is in effect for it
 * @param retryWhen the condition for results that count as failures, or null
 * @param until the condition for results that are final, or null
 * @param recover what takes over after an unsuccessful stop, or null
 */
record MethodPlan(AnnotatedMethod method, String label, EffectivePolicy policy, @Nullable ResultExpression retryWhen,
		@Nullable ResultExpression until, @Nullable RecoverMethods recover) {

	/** Return whether the method returns a stage, which completes later. */
	boolean isAsync() {
		return isAsync(this.method);
	}

	/*
	 * Exactly these: the caller of a method that returns another kind of stage could not
	 * be given ours.
	 */
	static boolean isAsync(AnnotatedMethod method) {
		Class<?> type = method.method().getReturnType();
		return type == CompletionStage.class || type == CompletableFuture.class;
	}

	/** Return the type of what the method returns, now or later. */
	static ResolvableType result(AnnotatedMethod method) {
		ResolvableType returned = ResolvableType.forMethodReturnType(method.method(), method.type());
		return isAsync(method) ? value(returned) : returned;
	}

	/** Return the type of what a stage completes with. */
	static ResolvableType value(ResolvableType stage) {
		return stage.as(CompletionStage.class).getGeneric();
	}

}
