package dev.backoff.spring.advice;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.NativeDetector;
import org.springframework.util.ReflectionUtils;

/**
 * An annotated method of a target, called by its handle. An invocation calls it by
 * reflection, which throws what the method throws in an exception with a stack trace of
 * its own: to fill that in costs more than all else a retry does. Even where nothing is
 * thrown, what Spring does around the reflective call takes longer. To make the handle
 * takes longer than many calls, so that is left until the method is retried or has been
 * called often. Thread-safe.
 */
final class TargetMethod {

	private static final MethodType TYPE = MethodType.methodType(Object.class, Object.class, Object[].class);

	/* Making a handle takes what some ten thousand calls gain by it. */
	private static final int OFTEN = 10_000;

	private final Method method;

	/* About how often it was called without a handle: increments may be lost. */
	private int calls;

	private final AtomicBoolean prepared = new AtomicBoolean();

	private volatile @Nullable MethodHandle handle;

	TargetMethod(Method method) {
		this.method = method;
	}

	/** Make the handle, on the first thread that wants it; others do without so far. */
	void prepare() {
		if (!this.prepared.get() && this.prepared.compareAndSet(false, true)) {
			this.handle = isOrdinary(this.method) ? handle(this.method) : null;
		}
	}

	/*
	 * A suspending function needs more than a call, and an image has its own reflection.
	 */
	private static boolean isOrdinary(Method method) {
		return !KotlinDetector.isSuspendingFunction(method) && !NativeDetector.inNativeImage();
	}

	private static @Nullable MethodHandle handle(Method method) {
		try {
			ReflectionUtils.makeAccessible(method);
			return MethodHandles.publicLookup()
				.unreflect(method)
				.asFixedArity()
				.asSpreader(Object[].class, method.getParameterCount())
				.asType(TYPE);
		}
		catch (Throwable ex) {
			// reflection has a way of its own, or says why there is none
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
