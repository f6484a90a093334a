package dev.backoff.spring.failure;

import java.util.Set;

/**
 * Tell the types of libraries that may be absent by their full names.
 */
final class ClassNames {

	private ClassNames() {
	}

	/** Return whether the failure's class, or one that it extends, has such a name. */
	static boolean isOneOf(Set<String> names, Throwable failure) {
		for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
			if (names.contains(type.getName())) {
				return true;
			}
		}
		return false;
	}

}
