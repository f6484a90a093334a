package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;

import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Advice by weaving, for {@code backoff.mode: aspectj}. The module {@code retry-aspectj}
 * implements it; the starter finds the implementation by its name.
 *
 * @since 0.1
 */
public interface Weaving {

	/** Return the weaving of the module, or null without the module. */
	static @Nullable Weaving find(@Nullable ClassLoader classLoader) {
		String type = BackoffConfiguration.WEAVING;
		return ClassUtils.isPresent(type, classLoader)
				? (Weaving) BeanUtils.instantiateClass(ClassUtils.resolveClassName(type, classLoader)) : null;
	}

	/** Begin to retry woven methods; return the bean whose destruction ends this. */
	BeanPostProcessor open(MethodInterceptor interceptor, ConfigurableListableBeanFactory beanFactory, boolean enabled);

	/** Report a problem if a method is not woven, because it would not be retried. */
	void check(AnnotatedMethod method, Collection<Problem> problems);

	/** Return whether a weaver misses that a type's annotation applies to a method. */
	boolean isSkipped(AnnotatedMethod method);

	/**
	 * Return whether a woven method runs as a part of the method that overrides it. A
	 * call of {@code super} is not a call of its own.
	 */
	boolean isCalledByOverriding(Method method, AnnotatedMethod annotated);

	/** Return a sentence for each transaction or lock that encloses all attempts. */
	List<String> advice(AnnotatedMethod method, ListableBeanFactory beanFactory);

}
