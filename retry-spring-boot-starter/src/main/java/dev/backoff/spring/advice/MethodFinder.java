package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;

import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Find the retry of a called method. Proxies ask at the first call of each method, woven
 * methods at each call. Thread-safe.
 */
final class MethodFinder {

	private final Function<AnnotatedMethod, MethodRetry> retries;

	private final @Nullable Weaving weaving;

	/* By class, since many may inherit one method; without a key that is made to ask. */
	private final Map<Class<?>, Map<Method, Optional<MethodRetry>>> called = new ConcurrentHashMap<>();

	MethodFinder(Function<AnnotatedMethod, MethodRetry> retries, @Nullable Weaving weaving) {
		this.retries = retries;
		this.weaving = weaving;
	}

	/**
	 * Return the retry of a method, or null if it is not annotated. If one proxy is
	 * around another, the inner one retries: both would multiply.
	 */
	@Nullable MethodRetry find(Method method, Class<?> targetClass, @Nullable Object target) {
		if (target instanceof Advised proxy && isOurs(proxy)) {
			return null;
		}
		Map<Method, Optional<MethodRetry>> methods = this.called.get(targetClass);
		Optional<MethodRetry> known = (methods != null) ? methods.get(method) : null;
		return (known != null) ? known.orElse(null) : add(method, targetClass);
	}

	/* Proxies with different advisors can share a class, so each is asked. */
	private static boolean isOurs(Advised proxy) {
		for (Advisor advisor : proxy.getAdvisors()) {
			if (advisor instanceof BackoffAdvisor) {
				return true;
			}
		}
		return false;
	}

	/*
	 * A listener or a classifier may call the method while it is created itself. That
	 * call is made without retries, and the next one asks again.
	 */
	private @Nullable MethodRetry add(Method method, Class<?> targetClass) {
		try {
			MethodRetry retry = retry(method, targetClass);
			this.called.computeIfAbsent(targetClass, (type) -> new ConcurrentHashMap<>())
				.put(method, Optional.ofNullable(retry));
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
