package dev.backoff.spring.policy;

import java.lang.annotation.Annotation;
import java.lang.annotation.AnnotationFormatError;
import java.lang.reflect.Method;
import java.util.Map;

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
		if (isAmong(type.getDeclaredAnnotations())) {
			return true;
		}
		for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
			if (isAmong(method.getDeclaredAnnotations())) {
				return true;
			}
		}
		if (isAt(type.getSuperclass())) {
			return true;
		}
		for (Class<?> contract : type.getInterfaces()) {
			if (isAt(contract)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isAmong(Annotation[] annotations) {
		for (Annotation annotation : annotations) {
			if (isCarrier(annotation.annotationType())) {
				return true;
			}
		}
		return false;
	}

	private static boolean isCarrier(Class<? extends Annotation> type) {
		Boolean known = carriers.get(type);
		if (known == null) {
			known = type == Backoff.class || MergedAnnotations.from(type).isPresent(Backoff.class);
			carriers.put(type, known);
		}
		return known;
	}

}
