package dev.backoff.spring.configuration;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** A key below a {@link Section}: its name, how its text is read, and its default. */
interface ConfigurationKey {

	/** Return the name below the section, for instance {@code max-attempts}. */
	String key();

	/**
	 * {@return the place of the key among those of its kind}
	 */
	int ordinal();

	/** Return how the text is read. */
	ValueType type();

	/**
	 * {@return whether the value is a list}
	 */
	default boolean isList() {
		return type().list();
	}

	/**
	 * Return the parts of a text: more than one if the value is a list. Empty elements
	 * count only in a list that is read as a whole.
	 * @param text the text of the value or of an element
	 * @return the parts, without blanks around them
	 */
	default List<String> parts(String text) {
		return Stream.of(isList() ? text.split(",", -1) : new String[] { text })
			.map(String::strip)
			.filter((part) -> !type().elementwise() || !part.isEmpty())
			.toList();
	}

	/**
	 * {@return the default as it is written, or null if there is none}
	 */
	default @Nullable String builtInText() {
		return type().builtInText();
	}

	/**
	 * {@return the default}
	 * @param <T> its type, the one of the parser
	 */
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	default <T> T builtIn() {
		Object builtIn = type().builtIn();
		if (builtIn == null) {
			throw new IllegalStateException("No default of " + key());
		}
		return (T) builtIn;
	}

}
