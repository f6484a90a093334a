package dev.backoff.spring.policy;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.Section;

/** The names in use and one spelling of each. Thread-safe. */
final class Names {

	private final BackoffConfiguration configuration;

	/* As their first user writes them, by section and canonical name. */
	private final Map<String, String> first;

	private final Set<String> used = ConcurrentHashMap.newKeySet();

	Names(BackoffConfiguration configuration, Map<String, String> first) {
		this.configuration = configuration;
		this.first = first;
	}

	/** Return the names by another configuration, with the same first spellings. */
	Names with(BackoffConfiguration configuration) {
		return new Names(configuration, this.first);
	}

	/** Note the first spelling, then spell a name as {@link #known} does. */
	String use(Section<?> section, String name) {
		this.first.putIfAbsent(key(section, name), name);
		return known(section, name);
	}

	/** Spell a name as the configuration does, else as its first user. */
	String known(Section<?> section, String name) {
		return this.configuration.spelling(section, this.first.getOrDefault(key(section, name), name));
	}

	void markUsed(Section<?> section, @Nullable String name) {
		if (name != null) {
			this.used.add(key(section, name));
		}
	}

	boolean isUsed(Section<?> section, String name) {
		return this.used.contains(key(section, name));
	}

	private static String key(Section<?> section, String name) {
		return section.key() + "." + BackoffConfiguration.canonicalName(name);
	}

}
