package dev.backoff.spring.failure;

import java.util.Set;

/** Recognize types of libraries that may be absent by their full names. */
final class ClassNames {

	private ClassNames() {
	}

	/** Return whether the failure's class, or one that it extends, has such a name. */
	static boolean isOneOf(Set<String> names, Throwable failure) {
		return isOneOf(names, failure.getClass());
	}

	/** Return whether a class, or one that it extends, has such a name. */
	static boolean isOneOf(Set<String> names, Class<?> candidate) {
		for (Class<?> type = candidate; type != null; type = type.getSuperclass()) {
			if (names.contains(type.getName())) {
				return true;
			}
		}
		return false;
	}

}
