package dev.backoff.spring.aspectj;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.backoff.spring.advice.BackoffInterceptor;
import dev.backoff.spring.advice.WeavingCheck;
import dev.backoff.spring.policy.BackoffConfiguration;

/**
 * An application context in mode {@code aspectj}: from when its bean post-processors are
 * there until its beans are destroyed, executions of woven methods are retried as it is
 * configured. Before and after, they are plain ones.
 * <p>
 * It knows its singletons, so that each of several contexts retries for its own. Beans
 * whose class only their creation tells are checked then. Thread-safe.
 *
 * @since 0.1
 */
public final class WovenBeans implements BeanPostProcessor, DisposableBean {

	private final BackoffInterceptor interceptor;

	private final ConfigurableListableBeanFactory beanFactory;

	private final boolean enabled;

	private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();

	private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

	private final Set<Object> singletons = Collections.newSetFromMap(new IdentityHashMap<>());

	private WovenBeans(BackoffInterceptor interceptor, ConfigurableListableBeanFactory beanFactory, boolean enabled) {
		this.interceptor = interceptor;
		this.beanFactory = beanFactory;
		this.enabled = enabled;
	}

	/**
	 * Begin to retry the executions of woven methods.
	 * @param interceptor the advice
	 * @param beanFactory has the beans
	 * @param configuration tells whether there is anything to do
	 * @return the context, which ends it when it is destroyed
	 */
	public static WovenBeans open(BackoffInterceptor interceptor, ConfigurableListableBeanFactory beanFactory,
			BackoffConfiguration configuration) {
		WovenBeans beans = new WovenBeans(interceptor, beanFactory, configuration.isEnabled());
		if (configuration.isEnabled()) {
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
		if (WeavingCheck.isCandidate(bean.getClass()) && isSingleton(name)) {
			this.lock.writeLock().lock();
			try {
				this.singletons.add(bean);
			}
			finally {
				this.lock.writeLock().unlock();
			}
		}
		return bean;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		Class<?> type = AopUtils.getTargetClass(bean);
		if (this.enabled && this.checked.add(type)) {
			WeavingCheck.check(type);
		}
		return bean;
	}

	/* By its definition: to ask the factory of beans may make the bean once more. */
	private boolean isSingleton(String name) {
		return this.beanFactory.containsBeanDefinition(name)
				&& this.beanFactory.getMergedBeanDefinition(name).isSingleton();
	}

	/** Return whether an object is a singleton of the context. */
	boolean has(Object target) {
		this.lock.readLock().lock();
		try {
			return this.singletons.contains(target);
		}
		finally {
			this.lock.readLock().unlock();
		}
	}

	/** Run an execution under its retry, and throw whatever it throws. */
	@Nullable Object call(WovenInvocation invocation) {
		return WovenBeans.<RuntimeException>call(this.interceptor, invocation);
	}

	/*
	 * A woven method throws what it declares; the aspect, woven into methods of every
	 * kind, can declare nothing.
	 */
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	private static <E extends Throwable> @Nullable Object call(BackoffInterceptor interceptor,
			WovenInvocation invocation) throws E {
		try {
			return interceptor.invoke(invocation);
		}
		catch (Throwable ex) {
			throw (E) ex;
		}
	}

}
