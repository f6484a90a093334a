package dev.backoff.spring.policy;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * The names of the breakers and budgets that policies share: one spelling of each, and
 * whether it is used. Thread-safe.
 */
final class SharedNames {

	private final BackoffConfiguration configuration;

	/* As their first user writes them, by section and canonical name. */
	private final Map<String, String> first;

	private final Set<String> used = ConcurrentHashMap.newKeySet();

	SharedNames(BackoffConfiguration configuration) {
		this(configuration, new ConcurrentHashMap<>());
	}

	private SharedNames(BackoffConfiguration configuration, Map<String, String> first) {
		this.configuration = configuration;
		this.first = first;
	}

	/** Return the names by another configuration, with the same first spellings. */
	SharedNames with(BackoffConfiguration configuration) {
		return new SharedNames(configuration, this.first);
	}

	/** Spell a name as the configuration does, else as its first user. */
	String use(Section<?> section, String name) {
		this.first.putIfAbsent(key(section, name), name);
		return known(section, name);
	}

	/** Spell a name likewise, without using it. */
	String known(Section<?> section, String name) {
		String spelling = this.first.getOrDefault(key(section, name), name);
		return this.configuration.spelling(section, spelling);
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
		return section.key() + "." + TextValues.canonical(name);
	}

}
