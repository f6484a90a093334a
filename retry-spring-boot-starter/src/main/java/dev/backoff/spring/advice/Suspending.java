package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.lang.reflect.WildcardType;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;

/**
 * Read the signatures of Kotlin functions that suspend. In Java they return an
 * {@link Object} and take a continuation, whose type argument is the type of the result.
 */
final class Suspending {

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private Suspending() {
	}

	static boolean is(Method method) {
		int count = method.getParameterCount();
		return count > 0 && method.getParameterTypes()[count - 1].getName().equals(CONTINUATION);
	}

	/** Return the number of parameters that the function has in Kotlin. */
	static int parameterCount(Method method) {
		return is(method) ? method.getParameterCount() - 1 : method.getParameterCount();
	}

	/** Return the type of the result. */
	static ResolvableType result(Method method, Class<?> type) {
		ResolvableType result = ResolvableType
			.forMethodParameter(new MethodParameter(method, method.getParameterCount() - 1).withContainingClass(type))
			.getGeneric();
		return (result.getType() instanceof WildcardType wildcard && wildcard.getLowerBounds().length == 1)
				? ResolvableType.forType(wildcard.getLowerBounds()[0], ResolvableType.forClass(type)) : result;
	}

}
