package dev.backoff.spring.aspectj;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * The execution of a woven method as an invocation. It can proceed any number of times,
 * on any thread and after it has returned, each time with the arguments of the call.
 */
abstract class WovenInvocation implements MethodInvocation {

	private final JoinPoint.StaticPart joinPoint;

	WovenInvocation(JoinPoint.StaticPart joinPoint) {
		this.joinPoint = joinPoint;
	}

	/** Run the method itself, with the advice of other aspects. */
	abstract @Nullable Object run();

	/**
	 * {@return the arguments of the static method into which weavers move the body: the
	 * object, unless the method was static before, its arguments, and perhaps more}
	 */
	abstract @Nullable Object[] state();

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
		int first = isStatic() ? 0 : 1;
		return Arrays.copyOfRange(state(), first, first + getMethod().getParameterCount());
	}

	@Override
	public @Nullable Object getThis() {
		return isStatic() ? null : state()[0];
	}

	private boolean isStatic() {
		return Modifier.isStatic(getMethod().getModifiers());
	}

	@Override
	public AccessibleObject getStaticPart() {
		return getMethod();
	}

}
