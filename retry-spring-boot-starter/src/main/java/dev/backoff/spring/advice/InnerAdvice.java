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
import org.springframework.util.ReflectionUtils;

import dev.backoff.RetryContext;

/**
 * Whether there is advice behind ours on one method. It is looked up once for all proxies
 * with the same advisors, because a look-up costs more than a retry. Thread-safe.
 */
final class InnerAdvice {

	/* Only proxies of Spring call it as a rule, so it is not public. */
	private static final Method EXPOSE = Objects
		.requireNonNull(ReflectionUtils.findMethod(AopContext.class, "setCurrentProxy", Object.class));

	/* The proxies of most methods have the same advisors. */
	private volatile @Nullable Known known;

	/* For one bean at least. An unnecessary copy of an invocation does no harm. */
	private volatile boolean any;

	private boolean look(ProxyMethodInvocation invocation, Advised proxy) {
		Known known = this.known;
		Advisor[] advisors = proxy.getAdvisors();
		Class<?> targetClass = targetClass(invocation, proxy);
		if (known != null && known.targetClass() == targetClass && isSame(known.advisors(), advisors)) {
			return known.any();
		}
		boolean any = isAdviceBehindOurs(DefaultAdvisorChainFactory.INSTANCE
			.getInterceptorsAndDynamicInterceptionAdvice(proxy, invocation.getMethod(), targetClass));
		Advisor last = (advisors.length > 0) ? advisors[advisors.length - 1] : null;
		this.known = new Known(new WeakReference<>(proxy), targetClass, List.of(advisors), any,
				(last instanceof BackoffAdvisor ours) ? ours : null);
		return any;
	}

	private static boolean isAdviceBehindOurs(List<Object> chain) {
		int ours = 0;
		while (ours < chain.size() && !(chain.get(ours) instanceof Ours)) {
			ours++;
		}
		return ours + 1 < chain.size();
	}

	private static @Nullable Class<?> targetClass(ProxyMethodInvocation invocation, Advised proxy) {
		return (invocation.getThis() != null) ? invocation.getThis().getClass() : proxy.getTargetClass();
	}

	/**
	 * Return whether there is advice behind ours, as far as is known. Each call asks, so
	 * the proxy that was looked at last is not looked at again. Advice that it is given
	 * later is seen when one of its calls is retried.
	 */
	boolean isAny(ProxyMethodInvocation invocation, Advised proxy, int attempt) {
		Known known = this.known;
		// to ask a dynamic proxy is a reflective call itself
		boolean askable = !(proxy instanceof Proxy);
		if (known != null && known.ours() != null && askable
				&& proxy.indexOf(known.ours()) == proxy.getAdvisorCount() - 1) {
			return false;
		}
		if (this.any) {
			return true;
		}
		boolean any = (attempt > 1 || known == null || !known.proxy().refersTo(proxy)
				|| (known.ours() != null && askable)) ? look(invocation, proxy) : known.any();
		this.any = any;
		return any;
	}

	/* The same instances: two that are equal may differ in what they do. */
	private static boolean isSame(List<Advisor> known, Advisor[] advisors) {
		boolean same = known.size() == advisors.length;
		for (int i = 0; same && i < advisors.length; i++) {
			same = known.get(i) == advisors[i];
		}
		return same;
	}

	/** Whether proxies with the same advisors have any; our advisor if it is the last. */
	private record Known(WeakReference<Advised> proxy, @Nullable Class<?> targetClass, List<Advisor> advisors,
			boolean any, @Nullable BackoffAdvisor ours) {
	}

	/** Let {@link AopContext} return the proxy on this thread too, until closed. */
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

}
