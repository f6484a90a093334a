package dev.backoff.spring.layers;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Read the beans of an application without creating one. */
final class ExistingBeans {

	private static final Logger logger = LoggerFactory.getLogger(ExistingBeans.class);

	private final ConfigurableListableBeanFactory factory;

	ExistingBeans(ConfigurableListableBeanFactory factory) {
		this.factory = factory;
	}

	boolean isPresent(String type) {
		return ClassUtils.isPresent(type, this.factory.getBeanClassLoader());
	}

	/** Return the singletons of a type, by name; none if the class is missing. */
	Map<String, Object> of(String type) {
		Map<String, Object> beans = new LinkedHashMap<>();
		if (isPresent(type)) {
			Class<?> wanted = ClassUtils.resolveClassName(type, this.factory.getBeanClassLoader());
			for (String name : this.factory.getSingletonNames()) {
				Object bean = this.factory.getSingleton(name);
				if (wanted.isInstance(bean)) {
					Object target = AopProxyUtils.getSingletonTarget(bean);
					beans.put(name, (target != null) ? target : bean);
				}
			}
		}
		return beans;
	}

	/** Return the names of the beans with one of some types, marks or names. */
	Set<String> named(Collection<String> hints) {
		Set<String> names = new LinkedHashSet<>();
		for (String hint : hints) {
			names.addAll(of(hint).keySet());
			Arrays.stream(this.factory.getBeanDefinitionNames())
				.filter((name) -> name.equals(hint) || this.factory.getBeanDefinition(name).hasAttribute(hint))
				.forEach(names::add);
		}
		return names;
	}

	/** Return the class of a bean, or null if only creating it would tell. */
	@Nullable Class<?> type(String name) {
		try {
			Object target = this.factory.getMergedBeanDefinition(name)
				.getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE);
			Class<?> type = (target instanceof Class<?> original) ? original : this.factory.getType(name, false);
			return (type != null) ? ClassUtils.getUserClass(type) : null;
		}
		catch (RuntimeException | LinkageError ex) {
			// the creation of the bean reports this, if it is ever created
			return null;
		}
	}

	/** Visit the methods that have one of some annotations, or whose class has it. */
	void visit(Collection<String> annotations, Visitor visitor) {
		List<String> present = annotations.stream().filter(this::isPresent).toList();
		for (String name : present.isEmpty() ? new String[0] : this.factory.getBeanDefinitionNames()) {
			Class<?> type = type(name);
			if (type != null && !type.getName().startsWith("org.springframework.")) {
				try {
					visit(name, type, present, visitor);
				}
				catch (IllegalStateException | LinkageError ex) {
					logger.debug("Cannot look into {}", type.getName(), ex);
				}
			}
		}
	}

	private static void visit(String name, Class<?> type, List<String> annotations, Visitor visitor) {
		MergedAnnotations onType = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
		for (Method method : MethodIntrospector.selectMethods(type, ReflectionUtils.USER_DECLARED_METHODS)) {
			MergedAnnotations onMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
			for (String annotation : annotations) {
				MergedAnnotation<?> found = onMethod.get(annotation);
				found = found.isPresent() ? found : onType.get(annotation);
				if (found.isPresent()) {
					visitor.visit(name, type.getSimpleName() + "." + method.getName(), found);
				}
			}
		}
	}

	/**
	 * Return the number that an attribute resolves to, or null if it is an expression.
	 */
	@Nullable Double number(MergedAnnotation<?> annotation, String attribute, String text) {
		Object value = annotation.getValue(text, String.class)
			.filter((written) -> !written.isEmpty())
			.<Object>map((written) -> Objects.requireNonNullElse(this.factory.resolveEmbeddedValue(written), ""))
			.or(() -> annotation.getValue(attribute))
			.orElse("");
		try {
			return Double.valueOf(value.toString());
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

	static boolean has(Object object, String path) {
		return new DirectFieldAccessor(object).isReadableProperty(path);
	}

	/** Return the value at a path of fields. */
	static @Nullable Object read(Object object, String path) {
		return new DirectFieldAccessor(object).getPropertyValue(path);
	}

	/** Takes what is found. */
	@FunctionalInterface
	interface Visitor {

		void visit(String bean, String method, MergedAnnotation<?> annotation);

	}

}
