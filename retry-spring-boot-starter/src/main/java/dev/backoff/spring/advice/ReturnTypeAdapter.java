package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
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

	/** Return whether a value of one type can be used as one of the other. */
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
			ResolvableType argument = wanted.getGeneric(i);
			if (!isOpen(arguments[i]) && !isOpen(argument) && !isArgument(arguments[i], argument)) {
				return false;
			}
		}
		return true;
	}

	/* What takes values takes those of subtypes too, and may hold any object. */
	private static boolean isArgument(ResolvableType given, ResolvableType wanted) {
		return isTaking(wanted) ? isValue(wanted, given)
				: isValue(isTaking(given) ? ResolvableType.forClass(Object.class) : given, wanted);
	}

	private static boolean isTaking(ResolvableType argument) {
		return argument.getType() instanceof WildcardType wildcard && wildcard.getLowerBounds().length > 0;
	}

	/*
	 * The caller of a generic method chooses its types, and a variable of a class that no
	 * subclass resolves can be anything within its bound.
	 */
	private static boolean isOpen(ResolvableType argument) {
		Type type = argument.getType();
		if (type instanceof WildcardType wildcard) {
			type = (isTaking(argument) ? wildcard.getLowerBounds() : wildcard.getUpperBounds())[0];
		}
		return type instanceof TypeVariable<?> variable && (variable.getGenericDeclaration() instanceof Method
				|| argument.resolve(Object.class) == ResolvableType.forType(variable).resolve(Object.class));
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
