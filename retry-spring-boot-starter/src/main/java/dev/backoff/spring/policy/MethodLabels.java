package dev.backoff.spring.policy;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The labels of methods in meters and logs: {@code SimpleClassName.method}, or with the
 * package where two types have the same simple name. Thread-safe.
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
