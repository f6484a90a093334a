package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.concurrent.CompletionStage;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

import dev.backoff.AsyncOperation;
import dev.backoff.Recovery;
import dev.backoff.spring.policy.AnnotatedMethod;

/** Return a {@link CompletionStage}. The caller receives a future of ours. */
@SuppressWarnings("NullAway") // it does not see that the values may be null
record StageAdapter() implements ReturnTypeAdapter {

	@Override
	public ResolvableType result(AnnotatedMethod method) {
		return value(ReturnTypeAdapter.super.result(method));
	}

	private static ResolvableType value(ResolvableType stage) {
		return stage.as(CompletionStage.class).getGeneric();
	}

	@Override
	public boolean isRecoveredBy(Method recovery, AnnotatedMethod method) {
		ResolvableType returned = ResolvableType.forMethodReturnType(recovery, method.type());
		return CompletionStage.class.isAssignableFrom(returned.toClass())
				&& ReturnTypeAdapter.isValue(value(returned), result(method));
	}

	@Override
	@SuppressWarnings({ "unchecked", "FutureReturnValueIgnored" }) // checked at start-up
	public MethodInterceptor laterCalls(Parts parts) {
		AsyncOperation.OnContext<MethodInvocation, @Nullable Object> attempt = (invocation,
				number) -> (CompletionStage<@Nullable Object>) parts.attempt().run(invocation, number);
		Recovery<MethodInvocation, ?, Throwable> given = parts.recovery();
		var recovery = (Recovery<MethodInvocation, CompletionStage<@Nullable Object>, Throwable>) given;
		return (invocation) -> parts.retry().callAsyncOn(invocation, attempt, recovery);
	}

}
