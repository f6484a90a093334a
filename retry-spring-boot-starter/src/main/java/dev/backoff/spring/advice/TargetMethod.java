package dev.backoff.spring.advice;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Objects;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.NativeDetector;
import org.springframework.util.ReflectionUtils;

/**
 * An annotated method, called by its handle. Reflection wraps an exception into another
 * one, whose stack trace costs more than the rest of a retry. To make a handle takes
 * longer than many calls, so it is made when the method is retried or has been called
 * often. Thread-safe.
 */
final class TargetMethod {

	private static final MethodType TYPE = MethodType.methodType(Object.class, Object.class, Object[].class);

	/* About so many calls gain the time that it takes to make the handle. */
	private static final int OFTEN = 10_000;

	private final Method method;

	/* The approximate number of calls without a handle: increments may be lost. */
	private int calls;

	private volatile boolean prepared;

	private volatile @Nullable MethodHandle handle;

	TargetMethod(Method method) {
		this.method = method;
	}

	/** Make the handle, unless there is one or another thread is making it. */
	void prepare() {
		if (!this.prepared) {
			this.prepared = true;
			this.handle = handle(this.method);
		}
	}

	private static @Nullable MethodHandle handle(Method method) {
		if (KotlinDetector.isSuspendingFunction(method) || NativeDetector.inNativeImage()) {
			// a function that suspends needs more than a call
			return null;
		}
		try {
			ReflectionUtils.makeAccessible(method);
			return MethodHandles.publicLookup()
				.unreflect(method)
				.asFixedArity()
				.asSpreader(Object[].class, method.getParameterCount())
				.asType(TYPE);
		}
		catch (Throwable ex) {
			// reflection may still call the method, or reports the reason
			return null;
		}
	}

	/** Return whether the method can be called on the invocation's target. */
	boolean isCallable(MethodInvocation invocation) {
		if (this.handle == null) {
			prepareIfOftenCalled();
			return false;
		}
		return invocation.getThis() != null;
	}

	private void prepareIfOftenCalled() {
		if (this.calls < OFTEN && ++this.calls == OFTEN) {
			prepare();
		}
	}

	/** Call the method on the invocation's target with its arguments. */
	@Nullable Object call(MethodInvocation invocation) throws Throwable {
		MethodHandle handle = Objects.requireNonNull(this.handle);
		return (Object) handle.invokeExact(invocation.getThis(), invocation.getArguments());
	}

}
