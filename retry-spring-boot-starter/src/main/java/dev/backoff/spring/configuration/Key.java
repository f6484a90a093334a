package dev.backoff.spring.configuration;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A key below a {@link Section}: its name, how its text is read, its default, and the
 * setter of the builder that its value goes to, unless the value depends on others. Keys
 * of a section have an order. Immutable.
 *
 * @param <T> the type of its value
 * @since 0.1
 */
public final class Key<T> implements Comparable<Key<?>> {

	private final int place;

	private final String key;

	/* It reads the whole value, or each element. */
	private final Function<List<String>, ?> parser;

	private final Form form;

	private final @Nullable String builtInText;

	private final @Nullable T builtIn;

	private final @Nullable BiConsumer<Object, T> setter;

	private Key(List<Key<?>> keys, String key, Function<List<String>, ?> parser, Form form,
			@Nullable String builtInText, @Nullable T builtIn, @Nullable BiConsumer<Object, T> setter) {
		this.place = keys.size();
		this.key = key;
		this.parser = parser;
		this.form = form;
		this.builtInText = builtInText;
		this.builtIn = builtIn;
		this.setter = setter;
		keys.add(this);
	}

	/** Add a key whose value depends on others. */
	static <T> Key<T> of(List<Key<?>> keys, String key, Function<String, T> parser, @Nullable String builtIn) {
		return of(keys, key, parser, builtIn, null);
	}

	@SuppressWarnings("unchecked") // the keys of a section have one builder
	static <B, T> Key<T> of(List<Key<?>> keys, String key, Function<String, T> parser, @Nullable String builtIn,
			@Nullable BiConsumer<B, T> setter) {
		return new Key<>(keys, key, (texts) -> parser.apply(String.join(", ", texts)), Form.VALUE, builtIn,
				(builtIn != null) ? parser.apply(builtIn) : null, (BiConsumer<Object, T>) setter);
	}

	/** Add a key of a list that is read as a whole. */
	static <T> Key<T> ofList(List<Key<?>> keys, String key, Function<List<String>, T> parser) {
		return new Key<>(keys, key, parser, Form.LIST, null, null, null);
	}

	/** Add a key of a list whose elements are read one by one. */
	static <E> Key<List<E>> ofEach(List<Key<?>> keys, String key, Function<String, E> parser) {
		return new Key<>(keys, key, (texts) -> parser.apply(texts.get(0)), Form.ELEMENTS, null, List.of(), null);
	}

	/** Return the name below the section, for instance {@code max-attempts}. */
	public String key() {
		return this.key;
	}

	boolean isList() {
		return this.form != Form.VALUE;
	}

	/** Return whether the value is a list whose elements are read one by one. */
	boolean isElementwise() {
		return this.form == Form.ELEMENTS;
	}

	/** Return the parts; empty ones count only in a list that is read as a whole. */
	List<String> split(String text) {
		return Stream.of(isList() ? text.split(",", -1) : new String[] { text })
			.map(String::strip)
			.filter((part) -> !isElementwise() || !part.isEmpty())
			.toList();
	}

	/** Read the texts of a value, or that of one element. */
	Object parse(List<String> texts) {
		return this.parser.apply(texts);
	}

	/** Return the default as it is written, or null if there is none. */
	public @Nullable String builtInText() {
		return this.builtInText;
	}

	public T builtIn() {
		return Objects.requireNonNull(this.builtIn, this.key);
	}

	/** Return a value that this key has read without problems. */
	@SuppressWarnings("unchecked") // its parser has made it
	public T of(ConfigValue value) {
		return (T) Objects.requireNonNull(value.parsed(), value.place());
	}

	/** Return the value among others, or the default if it is not written or wrong. */
	T in(Map<Key<?>, ConfigValue> values) {
		ConfigValue written = values.get(this);
		return (written != null && written.parsed() != null) ? of(written) : builtIn();
	}

	/** Return whether the value goes into a builder as it is. */
	public boolean isIndependent() {
		return this.setter != null;
	}

	/** Put a value into its builder, unless it depends on others or is wrong. */
	public void set(Object builder, ConfigValue value) {
		if (this.setter != null && value.parsed() != null) {
			this.setter.accept(builder, of(value));
		}
	}

	@Override
	public int compareTo(Key<?> other) {
		return Integer.compare(this.place, other.place);
	}

	@Override
	public String toString() {
		return this.key;
	}

	private enum Form {

		VALUE, LIST, ELEMENTS

	}

}
