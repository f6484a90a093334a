package dev.backoff.spring.policy;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What the sources of a configuration say below the names of one section. Names are
 * compared by letters and digits only.
 *
 * @param <K> the keys below a name
 */
final class SectionEntries<K extends Enum<K> & SectionKey> {

	private final Section<K> section;

	private final Map<String, String> spellings = new LinkedHashMap<>();

	private final Map<String, Map<K, ConfigValue>> entries = new LinkedHashMap<>();

	SectionEntries(Section<K> section) {
		this.section = section;
	}

	Section<K> section() {
		return this.section;
	}

	/** Make a name known as it is spelled. */
	void spell(String name) {
		this.spellings.putIfAbsent(TextValues.canonical(name), name);
	}

	/** Return the names as they are compared. */
	Set<String> names() {
		return this.spellings.keySet();
	}

	/** Return the names as they are spelled. */
	Collection<String> spellings() {
		return this.spellings.values();
	}

	/** Return the values below a name, to be added to. */
	Map<K, ConfigValue> below(String name) {
		return this.entries.computeIfAbsent(TextValues.canonical(name), (any) -> new LinkedHashMap<>());
	}

	/** Hand over what is below each name. */
	void forEach(EntryConsumer<K> consumer) {
		this.entries.forEach((canonical, values) -> {
			String spelling = this.spellings.get(canonical);
			consumer.accept(canonical, spelling, values);
		});
	}

	/** Takes what is below one name. */
	@FunctionalInterface
	interface EntryConsumer<K> {

		/**
		 * Take an entry.
		 * @param canonical the name as it is compared
		 * @param spelling the name as it is spelled, or null if only environment
		 * variables tell its letters and digits
		 * @param values the values, strongest first
		 */
		void accept(String canonical, @Nullable String spelling, Map<K, ConfigValue> values);

	}

}
