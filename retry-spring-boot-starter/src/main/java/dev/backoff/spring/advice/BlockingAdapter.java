package dev.backoff.spring.advice;

import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

import dev.backoff.spring.policy.AnnotatedMethod;

/** Return the result itself, or throws. */
record BlockingAdapter() implements ReturnTypeAdapter {

	@Override
	public boolean holdsThread() {
		return true;
	}

	@Override
	public ResolvableType result(AnnotatedMethod method) {
		return ResolvableType.forMethodReturnType(method.method(), method.type());
	}

	@Override
	public boolean hasNoResult(AnnotatedMethod method) {
		return result(method).resolve() == void.class;
	}

	@Override
	public boolean isRecoveredBy(Method recovery, AnnotatedMethod method) {
		ResolvableType returned = ResolvableType.forMethodReturnType(recovery, method.type());
		return hasNoResult(method)
				|| (returned.resolve() != void.class && ReturnTypeAdapter.isValue(returned, result(method)));
	}

	@Override
	public @Nullable MethodInterceptor laterCalls(Parts parts) {
		return null;
	}

}
