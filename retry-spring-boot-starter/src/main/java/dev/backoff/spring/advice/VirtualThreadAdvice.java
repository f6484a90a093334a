package dev.backoff.spring.advice;

import java.util.List;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

import dev.backoff.time.Nanos;

/**
 * Advise against an {@code attempt-timeout} as the first timeout of work that uses a pool
 * of connections on virtual threads, where an interrupt closes them.
 */
final class VirtualThreadAdvice {

	private static final String POOL = "javax.sql.DataSource";

	private VirtualThreadAdvice() {
	}

	static List<String> of(MethodPlan plan, ListableBeanFactory beanFactory) {
		boolean interrupted = plan.policy().numbers().attemptTimeoutNanos() != Nanos.UNLIMITED
				&& plan.manner().holdsThread();
		if (!interrupted || !isVirtual(beanFactory.getBean(Environment.class)) || !hasPool(beanFactory)) {
			return List.of();
		}
		return List.of("attempt-timeout interrupts, which closes sockets and JDBC connections on virtual threads: "
				+ "set shorter timeouts in the client or the pool");
	}

	private static boolean isVirtual(Environment environment) {
		return environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false);
	}

	private static boolean hasPool(ListableBeanFactory beanFactory) {
		ClassLoader classLoader = VirtualThreadAdvice.class.getClassLoader();
		return ClassUtils.isPresent(POOL, classLoader) && beanFactory
			.getBeanNamesForType(ClassUtils.resolveClassName(POOL, classLoader), true, false).length > 0;
	}

}
