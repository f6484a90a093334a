package dev.backoff.spring.configuration;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** A key below a {@link Section}: its name, how its text is read, and its default. */
interface ConfigurationKey {

	/** Return the name below the section, for instance {@code max-attempts}. */
	default String key() {
		return TextValues.kebab((Enum<?>) this);
	}

	/** Return how the text is read. */
	ValueType type();

	/** Return whether the value is a list. */
	default boolean isList() {
		return type().list();
	}

	/**
	 * Return the parts of a text, without blanks around them: more than one if the value
	 * is a list. Empty elements count only in a list that is read as a whole.
	 */
	default List<String> split(String text) {
		return Stream.of(isList() ? text.split(",", -1) : new String[] { text })
			.map(String::strip)
			.filter((part) -> !type().elementwise() || !part.isEmpty())
			.toList();
	}

	/** Return the default as it is written, or null if there is none. */
	default @Nullable String builtInText() {
		return type().builtInText();
	}

	/** Return the default. */
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	default <T> T builtIn() {
		Object builtIn = type().builtIn();
		if (builtIn == null) {
			throw new IllegalStateException("No default of " + key());
		}
		return (T) builtIn;
	}

}
