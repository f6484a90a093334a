package dev.backoff.spring.configuration;

import java.util.List;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The key that the name of an environment variable means.
 * <p>
 * A variable's underscores do not show where a name ends:
 * {@code BACKOFF_POLICIES_PAYMENT_CALLBACK_MAX_ATTEMPTS} and
 * {@code BACKOFF_POLICIES_PAYMENTCALLBACK_MAXATTEMPTS} both mean the policy
 * {@code payment-callback}. So a variable is read from both ends: the longest known key
 * is taken from its end, and the rest is the policy. Variables that fit no key are left
 * alone, because platforms make some with names that begin like ours.
 *
 * @param path the parts of the key after {@code backoff}, without an index
 * @param index the place in a list, or -1
 */
record VariableName(List<String> path, int index) {

	/* Dots instead of underscores are rare, but container platforms allow them. */
	private static final Pattern VARIABLE = Pattern.compile("backoff[_.](.+?)(?:[_\\[](\\d{1,6})]?)?",
			Pattern.CASE_INSENSITIVE);

	/* More than the length of any key. */
	private static final int DEFINED = 1000;

	/** Read a variable; a name that another source defines is preferred. */
	static @Nullable VariableName of(String variable, BiPredicate<Section, Name> defined) {
		Matcher parts = VARIABLE.matcher(variable);
		if (!parts.matches()) {
			return null;
		}
		int index = (parts.group(2) != null) ? Integer.parseInt(parts.group(2)) : -1;
		List<String> path = path(Name.of(parts.group(1)).letters(), index, defined);
		return (path != null) ? new VariableName(path, index) : null;
	}

	private static @Nullable List<String> path(String letters, int index, BiPredicate<Section, Name> defined) {
		Key<?> setting = Section.SETTINGS.keyOf(letters);
		if (setting != null) {
			return (index < 0 || setting.isList()) ? List.of(setting.key()) : null;
		}
		for (Section section : Section.ALL) {
			if (!section.key().isEmpty() && letters.startsWith(section.key())) {
				return path(section, letters.substring(section.key().length()), index, defined);
			}
		}
		return null;
	}

	private static @Nullable List<String> path(Section section, String letters, int index,
			BiPredicate<Section, Name> defined) {
		List<String> best = null;
		int longest = 0;
		for (Key<?> key : section.keys()) {
			String end = Name.of(key.key()).letters();
			String name = letters.endsWith(end) ? letters.substring(0, letters.length() - end.length()) : "";
			boolean fits = section.isNamed() ? !name.isEmpty() : letters.equals(end);
			// a name that another source defines decides where several keys fit
			int length = end.length() + (defined.test(section, Name.of(name)) ? DEFINED : 0);
			if (fits && (index < 0 || key.isList()) && length > longest) {
				longest = length;
				best = section.isNamed() ? List.of(section.key(), name, key.key()) : List.of(section.key(), key.key());
			}
		}
		return best;
	}

}
