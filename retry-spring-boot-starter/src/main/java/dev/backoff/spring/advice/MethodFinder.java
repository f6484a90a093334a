package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;

import dev.backoff.spring.policy.AnnotatedMethod;

/** Find the retry of a called method. Each call asks. Thread-safe. */
final class MethodFinder {

	private final Function<AnnotatedMethod, MethodRetry> retries;

	private final @Nullable Weaving weaving;

	private final CalledMethods called = new CalledMethods();

	/* On proxies that have no advice of ours. */
	private final CalledMethods calledOnProxies = new CalledMethods();

	MethodFinder(Function<AnnotatedMethod, MethodRetry> retries, @Nullable Weaving weaving) {
		this.retries = retries;
		this.weaving = weaving;
	}

	/** Return the retry of a method, or null if it is not annotated. */
	@Nullable MethodRetry find(Method method, Class<?> targetClass, @Nullable Object target) {
		CalledMethods.Known known = this.called.find(method, targetClass);
		if (known == null) {
			return findNew(method, targetClass, target);
		}
		MethodRetry retry = known.retry();
		return (retry == null && target instanceof Advised proxy) ? findOfProxy(method, targetClass, proxy) : retry;
	}

	private @Nullable MethodRetry findNew(Method method, Class<?> targetClass, @Nullable Object target) {
		if (target instanceof Advised proxy) {
			this.called.add(method, targetClass, null);
			return findOfProxy(method, targetClass, proxy);
		}
		return add(this.called, method, targetClass);
	}

	/*
	 * If one proxy is around another, the inner one retries: both would multiply. Proxies
	 * with different advisors can share a class, so each is asked.
	 */
	private @Nullable MethodRetry findOfProxy(Method method, Class<?> targetClass, Advised proxy) {
		for (Advisor advisor : proxy.getAdvisors()) {
			if (advisor instanceof BackoffAdvisor) {
				return null;
			}
		}
		CalledMethods.Known known = this.calledOnProxies.find(method, targetClass);
		return (known != null) ? known.retry() : add(this.calledOnProxies, method, targetClass);
	}

	/*
	 * A listener or a classifier may call the method while it is created itself. That
	 * call is made without retries, and the next one asks again.
	 */
	private @Nullable MethodRetry add(CalledMethods known, Method method, Class<?> targetClass) {
		try {
			MethodRetry retry = retry(method, targetClass);
			known.add(method, targetClass, retry);
			return retry;
		}
		catch (BeanCreationException ex) {
			if (ex.contains(BeanCurrentlyInCreationException.class)) {
				return null;
			}
			throw ex;
		}
	}

	private @Nullable MethodRetry retry(Method method, Class<?> targetClass) {
		AnnotatedMethod annotated = AnnotatedMethod.of(method, targetClass);
		if (annotated == null || (this.weaving != null && this.weaving.isCalledByOverriding(method, annotated))) {
			return null;
		}
		return this.retries.apply(annotated);
	}

}
