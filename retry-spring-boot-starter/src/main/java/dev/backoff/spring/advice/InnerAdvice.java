package dev.backoff.spring.advice;

import java.lang.ref.WeakReference;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;

/**
 * The advice behind ours on one method, looked up once for each proxy of it: that costs
 * more than a retry. A proxy whose number of advisors changes is looked at again.
 * Thread-safe.
 */
final class InnerAdvice {

	/* Most methods have one proxy. */
	private volatile @Nullable Known known;

	/** Return the advice in the order it runs. */
	List<Object> of(ProxyMethodInvocation invocation, Advised proxy) {
		Known last = this.known;
		int advisors = proxy.getAdvisorCount();
		Class<?> targetClass = InnerInvocation.targetClass(invocation, proxy);
		if (last != null && last.advisors() == advisors && last.targetClass() == targetClass
				&& last.proxy().refersTo(proxy)) {
			return last.advice();
		}
		List<Object> advice = List.copyOf(InnerInvocation.adviceInside(invocation, proxy));
		this.known = new Known(new WeakReference<>(proxy), targetClass, advisors, advice);
		return advice;
	}

	/**
	 * What is known of one proxy.
	 *
	 * @param proxy the proxy, which may be gone
	 * @param targetClass the class of its target, of which there may be more than one
	 * @param advisors how many advisors it had
	 * @param advice what is behind ours
	 */
	private record Known(WeakReference<Advised> proxy, @Nullable Class<?> targetClass, int advisors,
			List<Object> advice) {

	}

}
