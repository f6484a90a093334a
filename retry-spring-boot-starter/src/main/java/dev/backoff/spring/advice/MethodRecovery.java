package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Objects;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

import dev.backoff.Recovery;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Recover by a method of the same bean. The method is called through the proxy if the
 * proxy advises it, so that its other advice holds, and otherwise on the target. Woven
 * advice is on the target itself.
 */
@SuppressWarnings("NullAway") // it does not see that T itself is nullable here
record MethodRecovery(RecoverMethods methods) implements Recovery<MethodInvocation, @Nullable Object, Throwable> {

	private static final ThreadLocal<@Nullable Running> RUNNING = new ThreadLocal<>();

	/** Return whether a method recovers another method of its bean. */
	static boolean isRecovery(AnnotatedMethod method) {
		String name = method.method().getName();
		return AnnotatedBeans.methods(method.type())
			.stream()
			.anyMatch((other) -> other.attribute(Backoff::recover).equals(name));
	}

	/** Return whether an invocation is made by a recovery, so that it is not advised. */
	static boolean isRunning(Method method, MethodInvocation invocation) {
		Running running = RUNNING.get();
		return running != null && running.method().equals(method) && bean(invocation) == running.bean();
	}

	private static @Nullable Object bean(MethodInvocation invocation) {
		return (invocation instanceof ProxyMethodInvocation proxied) ? proxied.getProxy() : invocation.getThis();
	}

	@Override
	public boolean accepts(RetriesStoppedException stopped) {
		return this.methods.choose(stopped) != null;
	}

	@Override
	public @Nullable Object recover(MethodInvocation invocation, RetriesStoppedException stopped) throws Throwable {
		RecoverMethods.Candidate chosen = Objects.requireNonNull(this.methods.choose(stopped));
		@Nullable Object[] arguments = chosen.arguments(invocation.getArguments(), stopped);
		Method method = chosen.method();
		Object target = invocation.getThis();
		Object bean = bean(invocation);
		if (bean == null || bean == target) {
			return callUnadvised(target, method, method, arguments);
		}
		if (!isReached(method, bean) || (chosen.isSuspending() && isAdvised(method, target))) {
			return AopUtils.invokeJoinpointUsingReflection(target, method, arguments);
		}
		return callUnadvised(bean, method, AopUtils.selectInvocableMethod(method, bean.getClass()), arguments);
	}

	/*
	 * A function that suspends runs when it is subscribed to, on any thread, where our
	 * advice could not tell that it is a recovery.
	 */
	private static boolean isAdvised(Method method, @Nullable Object target) {
		return target == null || AnnotatedMethod.of(method, target.getClass()) != null;
	}

	private static @Nullable Object callUnadvised(@Nullable Object bean, Method method, Method invocable,
			@Nullable Object[] arguments) throws Throwable {
		Running enclosing = RUNNING.get();
		RUNNING.set(new Running(method, bean));
		try {
			return AopUtils.invokeJoinpointUsingReflection(bean, invocable, arguments);
		}
		finally {
			if (enclosing != null) {
				RUNNING.set(enclosing);
			}
			else {
				RUNNING.remove();
			}
		}
	}

	/** Return whether a call on the proxy reaches the method through its advice. */
	private static boolean isReached(Method method, Object proxy) {
		int modifiers = method.getModifiers();
		if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
			return false;
		}
		try {
			Method invocable = AopUtils.selectInvocableMethod(method, proxy.getClass());
			return invocable.getDeclaringClass().isInstance(proxy) && isOverridable(invocable, proxy.getClass());
		}
		catch (IllegalStateException ex) {
			// the method is on no interface of a JDK proxy
			return false;
		}
	}

	/*
	 * Other methods would run on the proxy itself, which has none of the bean's fields.
	 */
	private static boolean isOverridable(Method method, Class<?> proxyClass) {
		Class<?> declaring = method.getDeclaringClass();
		return Modifier.isPublic(method.getModifiers()) || Modifier.isProtected(method.getModifiers())
				|| (declaring.getClassLoader() == proxyClass.getClassLoader()
						&& ClassUtils.getPackageName(declaring).equals(ClassUtils.getPackageName(proxyClass)));
	}

	private record Running(Method method, @Nullable Object bean) {
	}

}
