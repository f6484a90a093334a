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

	/**
	 * {@return the weaving of the module, or null without the module}
	 * @param classLoader loads the module
	 */
	static @Nullable Weaving find(@Nullable ClassLoader classLoader) {
		String type = BackoffConfiguration.WEAVING;
		return ClassUtils.isPresent(type, classLoader)
				? (Weaving) BeanUtils.instantiateClass(ClassUtils.resolveClassName(type, classLoader)) : null;
	}

	/**
	 * Begin to retry the executions of woven methods.
	 * @param interceptor the advice
	 * @param beanFactory has the beans
	 * @param enabled whether anything is retried
	 * @return the bean that ends it when it is destroyed
	 */
	BeanPostProcessor open(MethodInterceptor interceptor, ConfigurableListableBeanFactory beanFactory, boolean enabled);

	/**
	 * Report a method that is not woven, which nothing would retry.
	 * @param method a method found at start-up
	 * @param problems gets what is wrong
	 */
	void check(AnnotatedMethod method, Collection<Problem> problems);

	/**
	 * {@return whether no weaver sees that an annotation on a type means the method}
	 * @param method an annotated method
	 */
	boolean isSkipped(AnnotatedMethod method);

	/**
	 * {@return whether a woven method runs as a part of the one that overrides it, since
	 * a call of <code>super</code> is no call of its own}
	 * @param method the method that runs
	 * @param annotated the method that overrides it, or the method itself
	 */
	boolean isCalledByOverriding(Method method, AnnotatedMethod annotated);

	/**
	 * {@return what to do about a transaction or a lock that encloses all attempts, one
	 * sentence each}
	 * @param method an annotated method
	 * @param beanFactory has the beans
	 */
	List<String> advice(AnnotatedMethod method, ListableBeanFactory beanFactory);

}
