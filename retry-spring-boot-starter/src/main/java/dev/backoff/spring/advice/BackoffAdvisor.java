package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import org.aopalliance.aop.Advice;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Advise annotated methods, outside transactions and caches and inside {@code @Async}.
 *
 * @since 0.1
 */
public final class BackoffAdvisor extends StaticMethodMatcherPointcutAdvisor implements ClassFilter {

	/**
	 * The order of the advice: just outside transactions and caches, whose order is the
	 * lowest by default.
	 */
	public static final int ORDER = Ordered.LOWEST_PRECEDENCE - 10;

	private static final long serialVersionUID = 1L;

	private final transient Supplier<Advice> advice;

	BackoffAdvisor(Supplier<Advice> advice) {
		this.advice = advice;
		setOrder(ORDER);
		setClassFilter(this);
	}

	/* Asked once for each method of a proxy, so that each knows its retry. */
	@Override
	public Advice getAdvice() {
		return this.advice.get();
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return AnnotatedMethod.of(method, targetClass) != null;
	}

	@Override
	public boolean matches(Class<?> type) {
		return isCandidate(type);
	}

	/** Return whether a class may have annotated methods; false means certainly not. */
	public static boolean isCandidate(Class<?> type) {
		return !type.getName().startsWith("org.springframework.")
				&& AnnotationUtils.isCandidateClass(type, Backoff.class) && AnnotatedMethod.mayBeIn(type);
	}

	/* Two contexts share the class of a proxy only if their matchers have equal texts. */
	@Override
	public String toString() {
		return "methods with @Backoff";
	}

}
