package dev.backoff.spring.otherretries;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

import dev.backoff.spring.otherretries.OtherRetries.OtherRetry;

/** The retry annotations of other libraries on the methods of beans. */
final class OtherAnnotations {

	/* Each annotation with the attribute that lists failures. */
	private static final List<Kind> KINDS = List.of(
			new Kind("Spring Framework @Retryable", "org.springframework.resilience.annotation.Retryable", "includes"),
			new Kind("Spring Retry @Retryable", "org.springframework.retry.annotation.Retryable", "retryFor"),
			new Kind("Resilience4j @Retry", "io.github.resilience4j.retry.annotation.Retry", null));

	private OtherAnnotations() {
	}

	/** Return the annotations of a method or its type. */
	static Stream<OtherRetry> of(Method method, Class<?> type, String place) {
		return KINDS.stream().flatMap((kind) -> {
			MergedAnnotation<?> onMethod = kind.on(method);
			MergedAnnotation<?> found = onMethod.isPresent() ? onMethod : kind.on(type);
			return found.isPresent()
					? Stream.of(new OtherRetry(kind.name, place, kind.when(found), "remove the annotation"))
					: Stream.empty();
		});
	}

	/** Return those of all methods that pass the test. No bean is created. */
	static Stream<OtherRetry> of(ConfigurableListableBeanFactory factory, Predicate<Method> test) {
		return Stream.of(factory.getBeanNamesForType(Object.class, true, false))
			.map((name) -> type(factory, name))
			.filter(OtherAnnotations::isCandidate)
			.distinct()
			.flatMap((type) -> of(type, test));
	}

	private static Stream<OtherRetry> of(Class<?> type, Predicate<Method> test) {
		Map<Method, List<OtherRetry>> found = MethodIntrospector.selectMethods(type,
				(MethodIntrospector.MetadataLookup<List<OtherRetry>>) (method) -> {
					Class<?> naming = Proxy.isProxyClass(type) ? method.getDeclaringClass() : type;
					List<OtherRetry> retries = (test.test(method) && Modifier.isPublic(method.getModifiers()))
							? of(method, naming, naming.getSimpleName() + "." + method.getName()).toList() : List.of();
					return retries.isEmpty() ? null : retries;
				});
		return found.values().stream().flatMap(List::stream);
	}

	private static boolean isCandidate(Class<?> type) {
		return KINDS.stream().anyMatch((kind) -> AnnotationUtils.isCandidateClass(type, kind.annotation));
	}

	private static Class<?> type(ConfigurableListableBeanFactory factory, String name) {
		Class<?> type = factory.getType(name, false);
		Object bean = (type != null && Proxy.isProxyClass(type)) ? factory.getSingleton(name) : null;
		if (bean != null) {
			type = AopUtils.getTargetClass(bean);
		}
		return (type != null) ? ClassUtils.getUserClass(type) : Object.class;
	}

	private record Kind(String name, String annotation, @Nullable String listed) {

		MergedAnnotation<?> on(AnnotatedElement element) {
			return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).get(this.annotation);
		}

		String when(MergedAnnotation<?> found) {
			if (this.listed == null) {
				return "what the instance " + found.getString("name") + " lists, by default any exception";
			}
			String failures = String.join(", ", found.getStringArray(this.listed));
			return failures.isEmpty() ? "any exception" : failures;
		}

	}

}
