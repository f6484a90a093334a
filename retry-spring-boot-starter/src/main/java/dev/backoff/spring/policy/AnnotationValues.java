package dev.backoff.spring.policy;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.ConfigValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.Level;
import dev.backoff.spring.configuration.Level.Rank;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.configuration.Section;

/**
 * The values that one annotation sets, with placeholders resolved.
 *
 * @param name the policy's name, empty if it gives none
 * @param values what it sets
 */
record AnnotationValues(String name, Map<Key<?>, ConfigValue> values) {

	/* Found once, because each search copies all methods of the annotation. */
	private static final Map<Key<?>, Method> ATTRIBUTES = attributes();

	private static Map<Key<?>, Method> attributes() {
		Map<Key<?>, Method> attributes = new TreeMap<>();
		for (Method attribute : Backoff.class.getDeclaredMethods()) {
			Key<?> key = Section.POLICIES.keyOf(attribute.getName());
			if (key != null) {
				attributes.put(key, attribute);
			}
		}
		return attributes;
	}

	/** Read an annotation, in which attributes of composed annotations are merged. */
	static AnnotationValues of(Backoff annotation, Rank rank, String on, String origin, Placeholders placeholders,
			List<Problem> problems) {
		Map<Key<?>, ConfigValue> values = new TreeMap<>();
		ATTRIBUTES.forEach((key, attribute) -> {
			List<String> texts = texts(ReflectionUtils.invokeMethod(attribute, annotation));
			if (!texts.isEmpty()) {
				ConfigValue value = new ConfigValue(texts, "@Backoff on " + on + ": invalid " + attribute.getName(),
						Level.of(rank), "annotation on " + origin)
					.read(key, placeholders.of(key), problems);
				if (value != null) {
					values.put(key, value);
				}
			}
		});
		ConfigValue name = new ConfigValue(List.of(annotation.value()), "@Backoff on " + on + ": invalid value",
				Level.of(rank), "");
		String resolved = name.resolve(annotation.value(), placeholders.ofName(), problems);
		return new AnnotationValues((resolved != null) ? resolved.strip() : "", values);
	}

	/** Return what an attribute has, nothing if it is not set. */
	private static List<String> texts(@Nullable Object attribute) {
		if (attribute instanceof Class<?>[] types) {
			return Arrays.stream(types).map(Class::getName).toList();
		}
		if (attribute instanceof String[] texts) {
			return (texts.length == 1 && texts[0].isEmpty()) ? List.of() : List.of(texts);
		}
		return (attribute instanceof String text && !text.isEmpty()) ? List.of(text) : List.of();
	}

	/** Return whether it sets any value besides the name. */
	boolean isEmpty() {
		return this.values.isEmpty();
	}

}
