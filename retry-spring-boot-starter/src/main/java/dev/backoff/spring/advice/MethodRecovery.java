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
import dev.backoff.RetryContext;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Recover by a method of the same bean. The method is called through the proxy if the
 * proxy advises it, so that its other advice holds, and otherwise on the target. Woven
 * advice is on the target itself.
 */
@SuppressWarnings("NullAway") // it does not see that T itself is nullable here
record MethodRecovery(Method recovered,
		RecoverMethods methods) implements Recovery<MethodInvocation, @Nullable Object, Throwable> {

	private static final ThreadLocal<@Nullable Running> RUNNING = new ThreadLocal<>();

	/** Return whether a method recovers another method of its bean. */
	static boolean isRecovery(AnnotatedMethod method) {
		String name = AnnotatedMethod.name(method.method());
		return AnnotatedBeans.methods(method.type())
			.stream()
			.anyMatch((other) -> other.attribute(Backoff::recover).equals(name));
	}

	/** Return whether an invocation is made by a recovery, so that it is not advised. */
	static boolean isRunning(Method method, MethodInvocation invocation) {
		Running running = RUNNING.get();
		return running != null && running.method().equals(method) && bean(invocation) == running.bean();
	}

	/** Return whether an invocation is made by its own recovery, so that it gets none. */
	boolean isRunning(MethodInvocation invocation) {
		Object bean = bean(invocation);
		for (Running running = RUNNING.get(); running != null; running = running.enclosing()) {
			if (running.recovered().equals(this.recovered) && running.bean() == bean) {
				return true;
			}
		}
		return false;
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
		Running enclosing = RUNNING.get();
		RUNNING.set(new Running(this.recovered, chosen.method(), bean(invocation), enclosing));
		RetryContext.Scope exposed = InnerAdvice.expose(bean(invocation));
		try {
			Object result = call(chosen, invocation, chosen.arguments(invocation.getArguments(), stopped));
			Class<?> type = this.recovered.getReturnType();
			if (result == null && type.isPrimitive() && type != void.class) {
				throw new IllegalStateException(
						"The recovery " + AnnotatedMethod.name(chosen.method()) + " returned null instead of " + type);
			}
			return result;
		}
		finally {
			exposed.close();
			if (enclosing != null) {
				RUNNING.set(enclosing);
			}
			else {
				RUNNING.remove();
			}
		}
	}

	private static @Nullable Object call(RecoverMethods.Candidate chosen, MethodInvocation invocation,
			@Nullable Object[] arguments) throws Throwable {
		Method method = chosen.method();
		Object target = invocation.getThis();
		Object bean = bean(invocation);
		// what suspends runs on any thread, where our advice knows of no recovery
		boolean unknown = chosen.isSuspending()
				&& (target == null || AnnotatedMethod.of(method, target.getClass()) != null);
		Method advised = (bean == null || bean == target || unknown) ? null : advised(method, bean);
		return (advised != null) ? AopUtils.invokeJoinpointUsingReflection(bean, advised, arguments)
				: AopUtils.invokeJoinpointUsingReflection(target, method, arguments);
	}

	/** Return the method of a proxy that reaches this one through advice, or null. */
	private static @Nullable Method advised(Method method, Object proxy) {
		int modifiers = method.getModifiers();
		if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
			return null;
		}
		try {
			Method found = AopUtils.selectInvocableMethod(method, proxy.getClass());
			return (found.getDeclaringClass().isInstance(proxy) && isOverridable(found, proxy.getClass())) ? found
					: null;
		}
		catch (IllegalStateException ex) {
			// the method is on no interface of a JDK proxy
			return null;
		}
	}

	/* Other methods would run on the proxy itself, which has none of the fields. */
	private static boolean isOverridable(Method method, Class<?> proxyClass) {
		Class<?> declaring = method.getDeclaringClass();
		return Modifier.isPublic(method.getModifiers()) || Modifier.isProtected(method.getModifiers())
				|| (declaring.getClassLoader() == proxyClass.getClassLoader()
						&& ClassUtils.getPackageName(declaring).equals(ClassUtils.getPackageName(proxyClass)));
	}

	/** A recovery that runs on this thread, inside another one or inside none. */
	private record Running(Method recovered, Method method, @Nullable Object bean, @Nullable Running enclosing) {
	}

}
