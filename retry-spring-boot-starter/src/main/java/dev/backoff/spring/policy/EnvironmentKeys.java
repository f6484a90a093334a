package dev.backoff.spring.policy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.env.PropertySourceInfo;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The keys below {@code backoff} in environment variables.
 * <p>
 * A variable's underscores say nothing about where a name ends:
 * {@code BACKOFF_POLICIES_PAYMENT_CALLBACK_MAX_ATTEMPTS} and
 * {@code BACKOFF_POLICIES_PAYMENTCALLBACK_MAXATTEMPTS} both mean the policy
 * {@code payment-callback}. So a variable is read from both ends: the longest known key
 * is taken from its end, what remains is the policy. Variables that mean nothing to us
 * are left alone: platforms make some of the like.
 */
final class EnvironmentKeys {

	/* Dots instead of underscores are rare, but container platforms allow them. */
	private static final Pattern VARIABLE = Pattern.compile("backoff[_.](.+?)(?:[_\\[](\\d{1,6})]?)?",
			Pattern.CASE_INSENSITIVE);

	private EnvironmentKeys() {
	}

	static List<WrittenKey> in(SystemEnvironmentPropertySource source, List<SectionEntries<?>> sections,
			Collection<String> topLevelKeys) {
		String prefix = (source instanceof PropertySourceInfo info && info.getPrefix() != null)
				? info.getPrefix().replace('-', '_').replace('.', '_') + "_" : "";
		List<WrittenKey> keys = new ArrayList<>();
		for (String variable : source.getPropertyNames()) {
			if (variable.regionMatches(true, 0, prefix, 0, prefix.length())) {
				WrittenKey key = key(source, variable, variable.substring(prefix.length()), sections, topLevelKeys);
				if (key != null) {
					keys.add(key);
				}
			}
		}
		return keys;
	}

	private static @Nullable WrittenKey key(SystemEnvironmentPropertySource source, String variable, String name,
			List<SectionEntries<?>> sections, Collection<String> topLevelKeys) {
		Matcher parts = VARIABLE.matcher(name);
		if (!parts.matches()) {
			return null;
		}
		int index = (parts.group(2) != null) ? Integer.parseInt(parts.group(2)) : -1;
		List<String> path = path(TextValues.canonical(parts.group(1)), index, sections, topLevelKeys);
		// not what is in its map, which may be encrypted
		Object value = (path != null) ? source.getProperty(variable) : null;
		return (path == null || value == null) ? null : new WrittenKey(path, index, "backoff." + String.join(".", path),
				List.of(String.valueOf(value).strip()), "the environment variable " + variable);
	}

	private static @Nullable List<String> path(String letters, int index, List<SectionEntries<?>> sections,
			Collection<String> topLevelKeys) {
		for (String key : topLevelKeys) {
			if (letters.equals(TextValues.canonical(key))
					&& (index < 0 || ConfigurationReader.TOP_LEVEL_LISTS.contains(key))) {
				return List.of(key);
			}
		}
		if (letters.startsWith("defaults")) {
			PolicyKey key = PolicyKey.of(letters.substring("defaults".length()));
			return (key != null && key != PolicyKey.INHERITS && (index < 0 || Section.POLICIES.isList(key)))
					? List.of("defaults", key.key()) : null;
		}
		for (SectionEntries<?> entries : sections) {
			String section = entries.section().key();
			if (letters.startsWith(section)) {
				return entryPath(letters.substring(section.length()), index, entries);
			}
		}
		return null;
	}

	private static <K extends Enum<K> & SectionKey> @Nullable List<String> entryPath(String letters, int index,
			SectionEntries<K> entries) {
		List<String> best = null;
		int bestLength = 0;
		for (K key : entries.section().keys()) {
			String end = TextValues.canonical(key.key());
			if (letters.length() > end.length() && letters.endsWith(end)
					&& (index < 0 || entries.section().isList(key))) {
				String name = letters.substring(0, letters.length() - end.length());
				// a name that is defined elsewhere settles what the longest key leaves
				// open
				int length = end.length() + (entries.names().contains(name) ? 1000 : 0);
				if (length > bestLength) {
					bestLength = length;
					best = List.of(entries.section().key(), name, key.key());
				}
			}
		}
		return best;
	}

}
