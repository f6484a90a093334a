package dev.backoff.spring.advice;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * What is known of a method, annotated or not.
 *
 * @param method the method as the proxy calls it
 * @param retry its retry, null if it is not annotated
 */
record CalledMethod(Method method, @Nullable MethodRetry retry) {
}
