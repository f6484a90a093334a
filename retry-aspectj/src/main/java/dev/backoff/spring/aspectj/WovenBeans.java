package dev.backoff.spring.aspectj;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.backoff.spring.advice.BackoffAdvisor;

/**
 * An application context in mode {@code aspectj}. From the creation of its bean
 * post-processors until its beans are destroyed, executions of woven methods are retried
 * as the context is configured. Before and after, woven methods are plain ones.
 * <p>
 * It knows the context's singletons, so that each of several contexts retries for its
 * own. A bean whose class only its creation tells is checked then. Thread-safe.
 */
final class WovenBeans implements BeanPostProcessor, DisposableBean {

	private final MethodInterceptor interceptor;

	private final ConfigurableListableBeanFactory beanFactory;

	private final boolean enabled;

	private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();

	/* Copied for each one that is added, so that calls need no lock. */
	private final AtomicReference<Set<Object>> singletons = new AtomicReference<>(Collections.emptySet());

	private WovenBeans(MethodInterceptor interceptor, ConfigurableListableBeanFactory beanFactory, boolean enabled) {
		this.interceptor = interceptor;
		this.beanFactory = beanFactory;
		this.enabled = enabled;
	}

	/** Begin to retry the executions of woven methods, until the result is destroyed. */
	static WovenBeans open(MethodInterceptor interceptor, ConfigurableListableBeanFactory beanFactory,
			boolean enabled) {
		WovenBeans beans = new WovenBeans(interceptor, beanFactory, enabled);
		if (enabled) {
			ActiveContexts.open(beans);
		}
		return beans;
	}

	@Override
	public void destroy() {
		ActiveContexts.close(this);
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String name) {
		if (BackoffAdvisor.isCandidate(bean.getClass()) && isSingleton(name)) {
			this.singletons.updateAndGet((known) -> with(known, bean));
		}
		return bean;
	}

	private static Set<Object> with(Set<Object> known, Object added) {
		Set<Object> all = Collections.newSetFromMap(new IdentityHashMap<>());
		all.addAll(known);
		all.add(added);
		return all;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		Class<?> type = AopUtils.getTargetClass(bean);
		if (this.enabled && this.checked.add(type)) {
			WeavingCheck.check(type);
		}
		return bean;
	}

	/* By its definition: the factory of beans may make the bean once more when asked. */
	private boolean isSingleton(String name) {
		return this.beanFactory.containsBeanDefinition(name)
				&& this.beanFactory.getMergedBeanDefinition(name).isSingleton();
	}

	/**
	 * {@return whether an object is a singleton of the context}
	 */
	boolean has(Object target) {
		return Objects.requireNonNull(this.singletons.get()).contains(target);
	}

	/** Run an execution under its retry, and throw what it throws. */
	@Nullable Object call(WovenInvocation invocation) {
		return WovenBeans.<RuntimeException>call(this.interceptor, invocation);
	}

	/*
	 * A woven method throws what it declares; the aspect, woven into methods of every
	 * kind, can declare nothing.
	 */
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	private static <E extends Throwable> @Nullable Object call(MethodInterceptor interceptor,
			WovenInvocation invocation) throws E {
		try {
			return interceptor.invoke(invocation);
		}
		catch (Throwable ex) {
			throw (E) ex;
		}
	}

}
