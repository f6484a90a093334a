package dev.backoff.spring.policy;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What meters and logs call methods: {@code SimpleClassName.method}, or with its package
 * where two types share the simple name. Thread-safe.
 */
final class MethodLabels {

	private final Map<String, Set<Class<?>>> types = new ConcurrentHashMap<>();

	/** Make a type known; return false if another one has the same simple name. */
	boolean announce(Class<?> type) {
		Set<Class<?>> namesakes = this.types.computeIfAbsent(type.getSimpleName(),
				(name) -> ConcurrentHashMap.newKeySet());
		namesakes.add(type);
		return namesakes.size() == 1;
	}

	String label(AnnotatedMethod method) {
		return announce(method.type()) ? method.label() : method.type().getName() + "." + method.method().getName();
	}

}
