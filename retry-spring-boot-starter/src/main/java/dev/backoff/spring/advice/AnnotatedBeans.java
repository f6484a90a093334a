package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Find beans with annotated methods before any bean is made.
 *
 * @since 0.1
 */
public final class AnnotatedBeans {

	private static final Logger logger = LoggerFactory.getLogger(AnnotatedBeans.class);

	private AnnotatedBeans() {
	}

	/** Return the classes that can have annotated methods, each with its bean. */
	static Map<Class<?>, String> candidates(ConfigurableListableBeanFactory beanFactory) {
		Map<Class<?>, String> types = new LinkedHashMap<>();
		for (String name : beanFactory.getBeanDefinitionNames()) {
			Class<?> type = type(beanFactory, name);
			if (type != null && BackoffAdvisor.isCandidate(type)) {
				types.putIfAbsent(ClassUtils.getUserClass(type), name);
			}
		}
		return types;
	}

	/* Makes no factory bean, because none of its post-processors exists yet. */
	static @Nullable Class<?> type(ConfigurableListableBeanFactory beanFactory, String name) {
		try {
			Object target = beanFactory.getMergedBeanDefinition(name)
				.getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE);
			return (target instanceof Class<?> type) ? type : beanFactory.getType(name, false);
		}
		catch (RuntimeException | LinkageError ex) {
			// the creation of the bean reports this, if it is ever created
			return null;
		}
	}

	/** Return the annotated methods of a class, or none if a type it needs is missing. */
	public static List<AnnotatedMethod> methods(Class<?> type) {
		try {
			return new ArrayList<>(AnnotatedMethod.in(type));
		}
		catch (IllegalStateException ex) {
			if (ex.getCause() instanceof LinkageError) {
				// a lazy bean of this class may never be made
				logger.debug("Cannot check {}", type.getName(), ex);
				return List.of();
			}
			throw ex;
		}
	}

}
