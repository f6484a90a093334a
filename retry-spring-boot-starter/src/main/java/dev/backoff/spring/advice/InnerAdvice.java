package dev.backoff.spring.advice;

import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;

/**
 * The advice behind ours on one method, looked up once for all proxies with the same
 * advisors: that costs more than a retry. Thread-safe.
 */
final class InnerAdvice {

	/* The proxies of most methods have the same advisors. */
	private volatile @Nullable Known known;

	/** Return the advice in the order it runs. */
	List<Object> of(ProxyMethodInvocation invocation, Advised proxy) {
		Known known = this.known;
		Advisor[] advisors = proxy.getAdvisors();
		Class<?> targetClass = InnerInvocation.targetClass(invocation, proxy);
		if (known != null && known.targetClass() == targetClass && isSame(known.advisors(), advisors)) {
			return known.advice();
		}
		List<Object> advice = List.copyOf(InnerInvocation.adviceInside(invocation, proxy));
		Advisor last = (advisors.length > 0) ? advisors[advisors.length - 1] : null;
		this.known = new Known(new WeakReference<>(proxy), targetClass, List.of(advisors), advice,
				(last instanceof BackoffAdvisor ours) ? ours : null);
		return advice;
	}

	/**
	 * Return whether there is none, as far as is known: each call asks, so a proxy that
	 * was the last to be looked at is not looked at again, unless it is easily told that
	 * something was put behind ours since. What else it is given later is seen when a
	 * call of it is retried.
	 */
	boolean isNone(ProxyMethodInvocation invocation, Advised proxy) {
		Known known = this.known;
		return (known != null && known.proxy().refersTo(proxy) && !isOursLastNoMore(known, proxy))
				? known.advice().isEmpty() : of(invocation, proxy).isEmpty();
	}

	private static boolean isOursLastNoMore(Known known, Advised proxy) {
		BackoffAdvisor ours = known.ours();
		return ours != null && !(proxy instanceof Proxy) && !isLast(ours, proxy);
	}

	/**
	 * Return whether it is certain, without allocating anything, that nothing is behind
	 * ours at this moment, whatever the proxy was given since it was looked at.
	 */
	boolean isOursLast(Advised proxy) {
		if (proxy instanceof Proxy) {
			// to ask it is a reflective call itself
			return false;
		}
		Known known = this.known;
		BackoffAdvisor ours = (known != null) ? known.ours() : null;
		return ours != null && isLast(ours, proxy);
	}

	private static boolean isLast(BackoffAdvisor ours, Advised proxy) {
		return proxy.indexOf(ours) == proxy.getAdvisorCount() - 1;
	}

	/* The same ones: those that are equal need not be. */
	private static boolean isSame(List<Advisor> known, Advisor[] advisors) {
		boolean same = known.size() == advisors.length;
		for (int i = 0; same && i < advisors.length; i++) {
			same = known.get(i) == advisors[i];
		}
		return same;
	}

	/**
	 * What is known of proxies with the same advisors.
	 *
	 * @param proxy one of them, which may be gone
	 * @param targetClass the class of its target, of which there may be more than one
	 * @param advisors its advisors
	 * @param advice what is behind ours
	 * @param ours our advisor if it is the last one, else null
	 */
	private record Known(WeakReference<Advised> proxy, @Nullable Class<?> targetClass, List<Advisor> advisors,
			List<Object> advice, @Nullable BackoffAdvisor ours) {

	}

}
