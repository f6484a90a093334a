package dev.backoff.spring.advice;

import java.lang.reflect.Method;

import org.springframework.core.ResolvableType;

import dev.backoff.spring.policy.AnnotatedMethod;

/** Return the result itself, or throws. */
record BlockingAdapter() implements ReturnTypeAdapter {

	@Override
	public boolean holdsThread() {
		return true;
	}

	@Override
	public boolean isRecoveredBy(Method recovery, AnnotatedMethod method) {
		ResolvableType returned = ResolvableType.forMethodReturnType(recovery, method.type());
		return result(method).resolve() == void.class
				|| (returned.resolve() != void.class && ReturnTypeAdapter.isValue(returned, result(method)));
	}

}
