package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import dev.backoff.Operation;
import dev.backoff.Recovery;
import dev.backoff.Retry;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.reactive.ObservationCarrier;

/** How a method gives its result, chosen once for each method. Immutable. */
interface ReturnTypeAdapter {

	/** Return whether a call that waits holds the calling thread. */
	default boolean holdsThread() {
		return false;
	}

	/** Return whether there may be more than one result, so that none is the last. */
	default boolean hasSeveralResults() {
		return false;
	}

	default boolean isSuspending() {
		return false;
	}

	/** Return whether the method's invocation is over before its first attempt. */
	default boolean returnsBeforeAttempts() {
		return false;
	}

	/** Return the type of the result, whenever the method gives it. */
	default ResolvableType result(AnnotatedMethod method) {
		return ResolvableType.forMethodReturnType(method.method(), method.type());
	}

	/** Return whether the method has no result and only ends. */
	default boolean hasNoResult(AnnotatedMethod method) {
		Class<?> type = result(method).resolve();
		return type == void.class || type == Void.class || (type != null && type.getName().equals("kotlin.Unit"));
	}

	/** Return whether the method's result can be replaced by that of a recovery. */
	boolean isRecoveredBy(Method recovery, AnnotatedMethod method);

	/** Make the attempt known to the work that it starts on other threads. */
	default void prepare(ProxyMethodInvocation attempt) {
		// most kinds of work do not need it
	}

	/** Return the advice of a method that gives its result later, or null. */
	default @Nullable MethodInterceptor laterCalls(Parts parts) {
		return null;
	}

	/**
	 * Return whether a value of one type can be used as one of the other. Type arguments
	 * need only have classes that an object can be of both.
	 */
	static boolean isValue(ResolvableType given, ResolvableType wanted) {
		Class<?> value = wanted.resolve();
		if (value == null) {
			return true;
		}
		if (!ClassUtils.isAssignable(value, given.resolve(value))) {
			return false;
		}
		ResolvableType[] arguments = given.as(value).getGenerics();
		for (int i = 0; i < arguments.length; i++) {
			Class<?> one = arguments[i].resolve(Object.class);
			Class<?> other = wanted.getGeneric(i).resolve(Object.class);
			if (!mayBeBoth(one, other) && !mayBeBoth(other, one)) {
				return false;
			}
		}
		return true;
	}

	private static boolean mayBeBoth(Class<?> one, Class<?> other) {
		return one.isAssignableFrom(other) || (one.isInterface() && !Modifier.isFinal(other.getModifiers()));
	}

	/** Return whether a type or one above it, any contract included, has a name. */
	static boolean isAny(@Nullable Class<?> type, Set<String> names) {
		return type != null && (names.contains(type.getName()) || isAny(type.getSuperclass(), names)
				|| Stream.of(type.getInterfaces()).anyMatch((contract) -> isAny(contract, names)));
	}

	/** The parts of the advice; {@code replayed} is asked at each call. */
	record Parts(Retry retry, Operation.OnContext<MethodInvocation, @Nullable Object, Throwable> attempt,
			@Nullable Recovery<MethodInvocation, @Nullable Object, Throwable> recovery, BooleanSupplier replayed,
			@Nullable ObservationCarrier observations) {
	}

}
