package dev.backoff.spring.advice;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;

import org.aopalliance.aop.Advice;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Advise annotated methods, outside transactions and caches and inside {@code @Async}.
 *
 * @since 0.1
 */
public final class BackoffAdvisor extends AbstractPointcutAdvisor {

	/**
	 * The order of the advice: just outside transactions and caches, whose order is the
	 * lowest by default.
	 */
	public static final int ORDER = Ordered.LOWEST_PRECEDENCE - 10;

	private static final long serialVersionUID = 1L;

	private final transient BackoffInterceptor interceptor;

	private final transient Pointcut pointcut = new AnnotatedMethods();

	/**
	 * Make the advisor.
	 * @param interceptor the advice
	 */
	public BackoffAdvisor(BackoffInterceptor interceptor) {
		this.interceptor = interceptor;
		setOrder(ORDER);
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.interceptor;
	}

	/* Proxies look for it at each call, and there is one in a context. */
	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	@Override
	public int hashCode() {
		return System.identityHashCode(this);
	}

	/**
	 * {@return whether a class can have annotated methods at all; a cheap answer}
	 * @param type the class of a bean
	 */
	public static boolean isCandidate(Class<?> type) {
		return !type.getName().startsWith("org.springframework.")
				&& AnnotationUtils.isCandidateClass(type, Backoff.class) && AnnotatedMethod.mayBeIn(type);
	}

	private static final class AnnotatedMethods extends StaticMethodMatcherPointcut {

		AnnotatedMethods() {
			setClassFilter(new Candidates());
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return AnnotatedMethod.of(method, targetClass) != null;
		}

		/*
		 * Two contexts share the class of a proxy only if their matchers read the same.
		 */
		@Override
		public String toString() {
			return "methods with @Backoff";
		}

	}

	private static final class Candidates implements ClassFilter {

		@Override
		public boolean matches(Class<?> type) {
			return isCandidate(type);
		}

		@Override
		public String toString() {
			return "classes with @Backoff";
		}

	}

}
