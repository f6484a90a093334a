package dev.backoff.spring.advice;

import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;

import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopContext;
import org.springframework.aop.framework.DefaultAdvisorChainFactory;
import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.util.ReflectionUtils;

import dev.backoff.RetryContext;

/**
 * The advice behind ours on one method. It is looked up once for all proxies with the
 * same advisors, because a look-up costs more than a retry. Thread-safe.
 */
final class InnerAdvice {

	/* Only proxies of Spring call it as a rule, so it is not public. */
	private static final Method EXPOSE = Objects
		.requireNonNull(ReflectionUtils.findMethod(AopContext.class, "setCurrentProxy", Object.class));

	/* The proxies of most methods have the same advisors. */
	private volatile @Nullable Known known;

	/** Return the advice in the order it runs. */
	List<Object> of(ProxyMethodInvocation invocation, Advised proxy) {
		Known known = this.known;
		Advisor[] advisors = proxy.getAdvisors();
		Class<?> targetClass = targetClass(invocation, proxy);
		if (known != null && known.targetClass() == targetClass && isSame(known.advisors(), advisors)) {
			return known.advice();
		}
		List<Object> advice = find(invocation, proxy, targetClass);
		Advisor last = (advisors.length > 0) ? advisors[advisors.length - 1] : null;
		this.known = new Known(new WeakReference<>(proxy), targetClass, List.of(advisors), advice,
				(last instanceof BackoffAdvisor ours) ? ours : null);
		return advice;
	}

	private static List<Object> find(ProxyMethodInvocation invocation, Advised proxy, @Nullable Class<?> targetClass) {
		List<Object> chain = DefaultAdvisorChainFactory.INSTANCE.getInterceptorsAndDynamicInterceptionAdvice(proxy,
				invocation.getMethod(), targetClass);
		int ours = 0;
		while (ours < chain.size() && !(chain.get(ours) instanceof Ours)) {
			ours++;
		}
		return List.copyOf(chain.subList(Math.min(ours + 1, chain.size()), chain.size()));
	}

	private static @Nullable Class<?> targetClass(ProxyMethodInvocation invocation, Advised proxy) {
		return (invocation.getThis() != null) ? invocation.getThis().getClass() : proxy.getTargetClass();
	}

	/**
	 * Return whether there is no advice behind ours, as far as is known. Each call asks,
	 * so the proxy that was looked at last is not looked at again. Advice that it is
	 * given later is seen when one of its calls is retried.
	 */
	boolean isNone(ProxyMethodInvocation invocation, Advised proxy) {
		Known known = this.known;
		if (known != null && known.proxy().refersTo(proxy)
				&& (known.ours() == null || proxy instanceof Proxy || isLast(known.ours(), proxy))) {
			return known.advice().isEmpty();
		}
		return of(invocation, proxy).isEmpty();
	}

	/** Return whether it is certain that no advice is behind ours now. */
	boolean isOursLast(Advised proxy) {
		Known known = this.known;
		// to ask a dynamic proxy is a reflective call itself
		return known != null && known.ours() != null && !(proxy instanceof Proxy) && isLast(known.ours(), proxy);
	}

	private static boolean isLast(BackoffAdvisor ours, Advised proxy) {
		return proxy.indexOf(ours) == proxy.getAdvisorCount() - 1;
	}

	/* The same instances: two that are equal may differ in what they do. */
	private static boolean isSame(List<Advisor> known, Advisor[] advisors) {
		boolean same = known.size() == advisors.length;
		for (int i = 0; same && i < advisors.length; i++) {
			same = known.get(i) == advisors[i];
		}
		return same;
	}

	/** The advice of proxies with the same advisors; ours if it is the last one. */
	private record Known(WeakReference<Advised> proxy, @Nullable Class<?> targetClass, List<Advisor> advisors,
			List<Object> advice, @Nullable BackoffAdvisor ours) {
	}

	/**
	 * Let {@link AopContext} return a proxy on this thread until closed, if it is
	 * configured to do so during the proxy's call, after which our attempts run.
	 */
	static RetryContext.Scope expose(@Nullable Object proxy) {
		if (!(proxy instanceof Advised advised) || !advised.isExposeProxy()) {
			return () -> {
			};
		}
		ReflectionUtils.makeAccessible(EXPOSE);
		Object outer = ReflectionUtils.invokeMethod(EXPOSE, null, proxy);
		return () -> ReflectionUtils.invokeMethod(EXPOSE, null, outer);
	}

	/** Our advice in a chain. What stands behind it runs at each attempt. */
	interface Ours extends MethodInterceptor {

	}

	/**
	 * Run the rest of an invocation anew: the advice behind ours and the target. It has
	 * its own copy of the arguments and shares the user attributes with the original.
	 */
	static final class InnerInvocation extends ReflectiveMethodInvocation {

		private final ProxyMethodInvocation original;

		private final TargetMethod targetMethod;

		InnerInvocation(ProxyMethodInvocation original, Advised proxy, List<Object> advice, TargetMethod targetMethod) {
			super(original.getProxy(), original.getThis(), original.getMethod(), original.getArguments().clone(),
					targetClass(original, proxy), advice);
			this.original = original;
			this.targetMethod = targetMethod;
		}

		@Override
		protected @Nullable Object invokeJoinpoint() throws Throwable {
			return this.targetMethod.isCallable(this) ? this.targetMethod.call(this) : super.invokeJoinpoint();
		}

		@Override
		public void setUserAttribute(String key, @Nullable Object value) {
			this.original.setUserAttribute(key, value);
		}

		@Override
		public @Nullable Object getUserAttribute(String key) {
			return this.original.getUserAttribute(key);
		}

	}

}
