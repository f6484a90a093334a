package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;

import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Find the retry of a called method. Thread-safe.
 *
 * @param called what was found, by class, since many may inherit one method; without a
 * key that is made to ask
 */
record MethodFinder(Function<AnnotatedMethod, MethodRetry> retries, @Nullable Weaving weaving,
		ConcurrentMap<Class<?>, Map<Method, Optional<MethodRetry>>> called) {

	/**
	 * Return the retry of a method, or null if it is not annotated. If one proxy is
	 * around another, the inner one retries: both would multiply.
	 */
	@Nullable MethodRetry find(Method method, Class<?> targetClass, @Nullable Object target) {
		// proxies with different advisors can share a class, so each is asked
		if (target instanceof Advised proxy
				&& Stream.of(proxy.getAdvisors()).anyMatch(BackoffAdvisor.class::isInstance)) {
			return null;
		}
		Map<Method, Optional<MethodRetry>> methods = this.called.get(targetClass);
		Optional<MethodRetry> known = (methods != null) ? methods.get(method) : null;
		return (known != null) ? known.orElse(null) : add(method, targetClass);
	}

	/* A bean that is being created may call; the next call asks again. */
	private @Nullable MethodRetry add(Method method, Class<?> targetClass) {
		try {
			AnnotatedMethod annotated = AnnotatedMethod.of(method, targetClass);
			boolean overridden = annotated != null && this.weaving != null
					&& this.weaving.isCalledByOverriding(method, annotated);
			MethodRetry retry = (annotated == null || overridden) ? null : this.retries.apply(annotated);
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

}
