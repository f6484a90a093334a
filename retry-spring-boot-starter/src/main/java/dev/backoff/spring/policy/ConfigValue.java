package dev.backoff.spring.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A value as it is written, where it is written, and what it means.
 *
 * @param texts the text, or the elements of a list, placeholders resolved
 * @param place how a report names it:
 * {@code @Backoff on OrderService.place(Order): invalid
 * cap} or {@code Invalid backoff.policies.orders.cap}
 * @param origin where it is written: {@code annotation on OrderService.place} or
 * {@code application.yml:12}
 * @param parsed what its key has read, or null if it is not read or wrong
 * @param problems what is wrong with it by itself
 */
record ConfigValue(List<String> texts, String place, String origin, @Nullable Object parsed, List<Problem> problems) {

	ConfigValue {
		texts = List.copyOf(texts);
	}

	/** Make a value that no key has read, for reports. */
	ConfigValue(List<String> texts, String place, String origin) {
		this(texts, place, origin, null, List.of());
	}

	/** Read a value. */
	static ConfigValue of(ConfigurationKey key, List<String> texts, String place, String origin) {
		ValueType type = key.type();
		List<Object> parsed = new ArrayList<>();
		List<Problem> problems = new ArrayList<>();
		for (List<String> part : type.parts(texts)) {
			try {
				parsed.add(type.parser().apply(part));
			}
			catch (InvalidTextException ex) {
				problems.add(new ConfigValue(part, place, origin).problem(ex.rule(), ex.fix()));
			}
		}
		return new ConfigValue(texts, place, origin,
				type.elementwise() ? List.copyOf(parsed) : parsed.isEmpty() ? null : parsed.get(0), problems);
	}

	/** Return the value of a key, or its default if it is not written or wrong. */
	@SuppressWarnings("TypeParameterUnusedInFormals") // the key knows the type
	static <T> T read(Map<? extends ConfigurationKey, ConfigValue> values, ConfigurationKey key) {
		ConfigValue written = values.get(key);
		return (written != null && written.parsed() != null) ? written.value() : key.builtIn();
	}

	/** Return the origin of the value of a key. */
	static String origin(Map<? extends ConfigurationKey, ConfigValue> values, ConfigurationKey key) {
		ConfigValue written = values.get(key);
		return (written != null) ? written.origin() : EffectiveValue.BUILT_IN;
	}

	/** Return the value as one text. */
	String text() {
		return String.join(", ", this.texts);
	}

	/** Return what the key's parser has read; only for a value without problems. */
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	<T> T value() {
		if (this.parsed == null) {
			throw new IllegalStateException("Not read: " + this.place);
		}
		return (T) this.parsed;
	}

	/** Return one of its elements, for a report. */
	ConfigValue element(String text) {
		return new ConfigValue(List.of(text), this.place, this.origin);
	}

	/** Return a report that the value breaks a rule. */
	Problem problem(String rule, String fix) {
		return Problem.ofValue(this.place, text(), this.place.startsWith("@") ? "" : this.origin, rule, fix);
	}

	/** Return the value as it is shown when it is in effect. */
	EffectiveValue shown() {
		return new EffectiveValue(text(), this.origin);
	}

}
