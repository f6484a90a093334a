package dev.backoff.spring.advice;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

import dev.backoff.Operation;
import dev.backoff.Recovery;
import dev.backoff.RetriesStoppedException;
import dev.backoff.Retry;

/** One annotated method with its retry, ready to be called. Thread-safe. */
@SuppressWarnings("NullAway") // it does not see that T itself is nullable here
final class MethodRetry {

	private static final Operation.OnContext<MethodInvocation, @Nullable Object, Throwable> ATTEMPT = LaterInvocation::proceed;

	/* Set while a recovery calls a method that is annotated itself. */
	private static final ThreadLocal<@Nullable Method> RECOVERING = new ThreadLocal<>();

	private final Retry retry;

	private final Method method;

	private final @Nullable Recovery<MethodInvocation, @Nullable Object, Throwable> recovery;

	private volatile boolean recoversOthers;

	MethodRetry(Retry retry, MethodPlan plan) {
		this.retry = retry;
		this.method = plan.method().method();
		this.recovery = (plan.recover() != null) ? new MethodRecovery(plan.recover()) : null;
	}

	/** Note that the method also is the recovery of another one. */
	void recoversOthers() {
		this.recoversOthers = true;
	}

	@Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		if (this.recoversOthers && this.method.equals(RECOVERING.get())) {
			return invocation.proceed();
		}
		return this.retry.callOn(invocation, ATTEMPT, this.recovery);
	}

	Retry retry() {
		return this.retry;
	}

	/** Recovers by a method of the same bean. */
	private record MethodRecovery(
			RecoverMethods methods) implements Recovery<MethodInvocation, @Nullable Object, Throwable> {

		@Override
		public boolean accepts(RetriesStoppedException stopped) {
			return this.methods.choose(stopped) != null;
		}

		@Override
		public @Nullable Object recover(MethodInvocation invocation, RetriesStoppedException stopped) throws Throwable {
			RecoverMethods.Candidate chosen = this.methods.choose(stopped);
			if (chosen == null) {
				throw new IllegalStateException("No recovery accepts " + stopped.reason());
			}
			Method enclosing = RECOVERING.get();
			RECOVERING.set(chosen.method());
			try {
				return call(invocation, chosen.method(), chosen.arguments(invocation.getArguments(), stopped));
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
			finally {
				if (enclosing != null) {
					RECOVERING.set(enclosing);
				}
				else {
					RECOVERING.remove();
				}
			}
		}

		private static @Nullable Object call(MethodInvocation invocation, Method method, @Nullable Object[] arguments)
				throws ReflectiveOperationException {
			Object target = invocation.getThis();
			Method called = method;
			if (invocation instanceof ProxyMethodInvocation proxied && isProxied(method, proxied.getProxy())) {
				target = proxied.getProxy();
				called = AopUtils.selectInvocableMethod(method, target.getClass());
			}
			ReflectionUtils.makeAccessible(called);
			return called.invoke(target, arguments);
		}

		/** Return whether a call on the proxy reaches the method through its advice. */
		private static boolean isProxied(Method method, Object proxy) {
			int modifiers = method.getModifiers();
			if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
				return false;
			}
			try {
				Method invocable = AopUtils.selectInvocableMethod(method, proxy.getClass());
				return invocable.getDeclaringClass().isInstance(proxy);
			}
			catch (IllegalStateException ex) {
				// on no interface of a JDK proxy
				return false;
			}
		}

	}

}
