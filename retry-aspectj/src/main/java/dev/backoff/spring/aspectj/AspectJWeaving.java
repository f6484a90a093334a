package dev.backoff.spring.aspectj;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;

import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.backoff.spring.advice.Weaving;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.AnnotatedMethod;

/** The weaving of this module. The starter finds it by its name. */
final class AspectJWeaving implements Weaving {

	@Override
	public BeanPostProcessor open(MethodInterceptor interceptor, ConfigurableListableBeanFactory beanFactory,
			boolean enabled) {
		return WovenBeans.open(interceptor, beanFactory, enabled);
	}

	@Override
	public void check(AnnotatedMethod method, Collection<Problem> problems) {
		WeavingCheck.check(method, problems);
	}

	@Override
	public boolean isSkipped(AnnotatedMethod method) {
		return WeavingCheck.isSkipped(method);
	}

	@Override
	public boolean isCalledByOverriding(Method method, AnnotatedMethod annotated) {
		return !annotated.method().equals(method) && WeavingCheck.isWoven(annotated.method());
	}

	@Override
	public List<String> advice(AnnotatedMethod method, ListableBeanFactory beanFactory) {
		return WeavingAdvice.of(method, beanFactory);
	}

}
