package dev.backoff.spring.configuration;

import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * How the text of a key is read.
 *
 * @param parser reads the whole value, or each element
 * @param list whether the value is a list
 * @param elementwise whether each element of a list is read by itself
 * @param builtInText the default as it is written, or null
 * @param builtIn the default, or null
 */
record ValueType(Function<List<String>, ?> parser, boolean list, boolean elementwise, @Nullable String builtInText,
		@Nullable Object builtIn) {

	/** Any text. */
	static final ValueType TEXT = of(Function.identity());

	/** A list of any texts. */
	static final ValueType TEXTS = each(Function.identity());

	static ValueType of(Function<String, ?> parser) {
		return of(parser, null);
	}

	static ValueType of(Function<String, ?> parser, @Nullable String builtIn) {
		return new ValueType((texts) -> parser.apply(String.join(", ", texts)), false, false, builtIn,
				(builtIn != null) ? parser.apply(builtIn) : null);
	}

	/** A list that is read as a whole. */
	static ValueType list(Function<List<String>, ?> parser) {
		return new ValueType(parser, true, false, null, null);
	}

	/** A list whose elements are read one by one. */
	static ValueType each(Function<String, ?> parser) {
		return new ValueType((texts) -> parser.apply(texts.get(0)), true, true, null, List.of());
	}

	/** Return the parts of a value that are read by themselves. */
	List<List<String>> parts(List<String> texts) {
		return this.elementwise ? texts.stream().map(List::of).toList() : List.of(texts);
	}

}
