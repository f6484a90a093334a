package dev.backoff.spring.failure;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassification.Kind;

/**
 * Classifications of classes, and of all that extend them unless they have their own.
 * Classes are recognized by their full names, so they may be absent. A class may have
 * null: nothing is known of it, whatever it extends.
 */
final class ClassTable {

	private final Map<String, @Nullable FailureClassification> classifications = new HashMap<>();

	ClassTable with(@Nullable FailureClassification classification, String... names) {
		for (String name : names) {
			this.classifications.put(name, classification);
		}
		return this;
	}

	ClassTable with(@Nullable FailureClassification classification, Class<?>... types) {
		return with(classification, Stream.of(types).map(Class::getName).toArray(String[]::new));
	}

	/** Return the classification of the nearest class here, or null. */
	@Nullable FailureClassification of(Class<?> candidate) {
		Class<?> type = nearest(candidate);
		FailureClassification classification = (type != null) ? this.classifications.get(type.getName()) : null;
		return (type != null && classification != null && classification.kind() == Kind.PERMANENT)
				? classification.judging(type) : classification;
	}

	private @Nullable Class<?> nearest(Class<?> candidate) {
		Class<?> type = candidate;
		while (type != null && !this.classifications.containsKey(type.getName())) {
			type = type.getSuperclass();
		}
		return type;
	}

	/** Return the first of a failure and its causes that is classified so, or null. */
	@Nullable Throwable find(Throwable failure, FailureClassification classification) {
		return Causes.find(failure, (link) -> {
			Class<?> type = nearest(link.getClass());
			return type != null && classification.equals(this.classifications.get(type.getName()));
		});
	}

}
