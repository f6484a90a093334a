package dev.backoff.spring.advice;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * What is known of a method of a class, annotated or not.
 *
 * @param method the method as the proxy calls it
 * @param targetClass the class of what it is called on
 * @param retry its retry, null if it is not annotated
 */
record CalledMethod(Method method, Class<?> targetClass, @Nullable MethodRetry retry) {

	@SuppressWarnings("ReferenceEquality") // an equal one is looked for if this fails
	boolean isSame(Method method, Class<?> targetClass) {
		return this.method == method && this.targetClass == targetClass;
	}

	boolean isEqual(Method method, Class<?> targetClass) {
		return this.targetClass == targetClass && this.method.equals(method);
	}

}
