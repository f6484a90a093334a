package dev.backoff.spring.aspectj;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * The execution of a woven method as an invocation. It can proceed any number of times,
 * on any thread and after it has returned, each time with the arguments of the call.
 */
abstract class WovenInvocation implements MethodInvocation {

	private final JoinPoint joinPoint;

	WovenInvocation(JoinPoint joinPoint) {
		this.joinPoint = joinPoint;
	}

	/** Run the method itself, with what other aspects put around it. */
	abstract @Nullable Object run();

	@Override
	public @Nullable Object proceed() {
		return run();
	}

	/* The signature belongs to the join point, so it is the same method each time. */
	@Override
	public Method getMethod() {
		return ((MethodSignature) this.joinPoint.getSignature()).getMethod();
	}

	@Override
	public @Nullable Object[] getArguments() {
		return this.joinPoint.getArgs();
	}

	@Override
	public @Nullable Object getThis() {
		return this.joinPoint.getThis();
	}

	@Override
	public AccessibleObject getStaticPart() {
		return getMethod();
	}

}
