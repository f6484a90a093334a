package dev.backoff.spring.policy;

import java.lang.annotation.Annotation;
import java.lang.annotation.AnnotationFormatError;
import java.lang.reflect.AnnotatedElement;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ConcurrentReferenceHashMap;
import org.springframework.util.ConcurrentReferenceHashMap.ReferenceType;
import org.springframework.util.ReflectionUtils;

import dev.backoff.annotation.Backoff;

/**
 * Rule out classes that have no annotated method, before each of their methods is
 * searched for through all that it overrides. An application has many such classes.
 */
final class AnnotationSearch {

	/*
	 * Whether an annotation is ours or composed with ours; weak, so classes can unload.
	 */
	private static final Map<Class<?>, Boolean> carriers = new ConcurrentReferenceHashMap<>(64, ReferenceType.WEAK);

	private AnnotationSearch() {
	}

	/** Return false if neither the class nor anything above it has our annotation. */
	static boolean mayFindIn(Class<?> type) {
		try {
			return isAt(type);
		}
		catch (RuntimeException | LinkageError | AnnotationFormatError ex) {
			// the search itself skips what is missing or broken
			return true;
		}
	}

	private static boolean isAt(@Nullable Class<?> type) {
		if (type == null || type.getName().startsWith("java.")) {
			return false;
		}
		return isOn(type) || Stream.of(ReflectionUtils.getDeclaredMethods(type)).anyMatch(AnnotationSearch::isOn)
				|| isAt(type.getSuperclass()) || Stream.of(type.getInterfaces()).anyMatch(AnnotationSearch::isAt);
	}

	private static boolean isOn(AnnotatedElement element) {
		return Stream.of(element.getDeclaredAnnotations())
			.map(Annotation::annotationType)
			.anyMatch((type) -> carriers.computeIfAbsent(type,
					(key) -> key == Backoff.class || MergedAnnotations.from(key).isPresent(Backoff.class)));
	}

}
