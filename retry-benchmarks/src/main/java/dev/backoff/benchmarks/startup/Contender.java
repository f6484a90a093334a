package dev.backoff.benchmarks.startup;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.resilience.annotation.EnableResilientMethods;

import org.aopalliance.intercept.MethodInterceptor;

/** An application that is started: what is on its class path and on its methods. */
enum Contender {

	/** The base of all. */
	PLAIN("no annotation, no proxy", "", Parts.NONE, Plain.class),

	/** What proxies cost that do nothing. */
	PROXY("no annotation, a proxy that does nothing", "", Parts.NONE, Advised.class),

	FRAMEWORK("Framework `@Retryable`", "@org.springframework.resilience.annotation.Retryable", Parts.NONE,
			Resilient.class),

	BACKOFF("**Backoff**, a policy for each method", "@dev.backoff.annotation.Backoff", Parts.STARTER, Plain.class),

	BACKOFF_NAMED("Backoff, one policy for all: `@Backoff(\"partner\")`",
			"@dev.backoff.annotation.Backoff(\"partner\")", Parts.STARTER, Plain.class),

	BACKOFF_METERED("Backoff with Actuator's meters, a policy for each", "@dev.backoff.annotation.Backoff",
			Parts.STARTER_AND_ACTUATOR, Plain.class),

	BACKOFF_UNUSED("Backoff on the class path, no annotation", "", Parts.STARTER, Plain.class),

	/** The base of an application that is watched. */
	ACTUATOR("Actuator, no annotation", "", Parts.ACTUATOR, Plain.class);

	private final String label;

	private final String annotation;

	private final Parts parts;

	private final Class<?> configuration;

	Contender(String label, String annotation, Parts parts, Class<?> configuration) {
		this.label = label;
		this.annotation = annotation;
		this.parts = parts;
		this.configuration = configuration;
	}

	/** Return what tables call it. */
	String label() {
		return this.label;
	}

	/** Return the annotation of each bean's one method, or nothing. */
	String annotation() {
		return this.annotation;
	}

	Class<?> configuration() {
		return this.configuration;
	}

	boolean hasStarter() {
		return this.parts == Parts.STARTER || this.parts == Parts.STARTER_AND_ACTUATOR;
	}

	boolean hasActuator() {
		return this.parts == Parts.ACTUATOR || this.parts == Parts.STARTER_AND_ACTUATOR;
	}

	/** Return whether each bean gets a proxy. */
	boolean isProxied() {
		return this == PROXY || !this.annotation.isEmpty();
	}

	/** What is on the class path besides the application. */
	private enum Parts {

		NONE, STARTER, ACTUATOR, STARTER_AND_ACTUATOR

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Plain {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableResilientMethods(proxyTargetClass = true)
	static class Resilient {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Advised {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor proceeding() {
			StaticMethodMatcherPointcut pointcut = new StaticMethodMatcherPointcut() {
				@Override
				public boolean matches(java.lang.reflect.Method method, Class<?> type) {
					return method.getName().equals(GeneratedBeans.METHOD);
				}
			};
			pointcut.setClassFilter((type) -> type.getName().startsWith(GeneratedBeans.PREFIX));
			MethodInterceptor nothing = (invocation) -> invocation.proceed();
			return new DefaultPointcutAdvisor(pointcut, nothing);
		}

	}

}
