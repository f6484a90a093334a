package dev.backoff.spring.policy;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The values of one entry of a section: each is read, and kept as it is in effect.
 *
 * @param <K> the keys of the section
 */
final class EntryValues<K extends Enum<K>> {

	private static final String BUILT_IN = "built in";

	private final Map<K, ConfigValue> written;

	private final List<Problem> problems;

	private final Map<K, EffectivePolicy.Value> effective;

	EntryValues(Class<K> keys, Map<K, ConfigValue> written, List<Problem> problems) {
		this.written = written;
		this.problems = problems;
		this.effective = new EnumMap<>(keys);
	}

	/**
	 * Read a value; one that cannot be read is reported, and the other one taken.
	 */
	<T> T read(K key, Function<String, T> parser, T otherwise, String otherwiseText) {
		ConfigValue value = this.written.get(key);
		this.effective.put(key, new EffectivePolicy.Value((value != null) ? value.text() : otherwiseText, origin(key)));
		if (value == null) {
			return otherwise;
		}
		try {
			return parser.apply(value.text());
		}
		catch (InvalidTextException ex) {
			this.problems.add(value.problem(ex));
			return otherwise;
		}
	}

	/** Return what is written after a key, or null. */
	@Nullable ConfigValue written(K key) {
		return this.written.get(key);
	}

	/** Return where a value comes from. */
	String origin(K key) {
		ConfigValue value = this.written.get(key);
		return (value != null) ? value.origin() : BUILT_IN;
	}

	/** Return the values in effect. */
	Map<K, EffectivePolicy.Value> effective() {
		return this.effective;
	}

}
