package dev.backoff.spring.policy;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The known name that somebody probably meant.
 *
 * @since 0.1
 */
public final class Nearest {

	/* What other libraries call it, and what we do. */
	private static final Map<String, String> OTHER_WORDS = Map.ofEntries(Map.entry("attempts", "max-attempts"),
			Map.entry("delay", "base"), Map.entry("initialinterval", "base"), Map.entry("initialdelay", "base"),
			Map.entry("waitduration", "base"), Map.entry("maxdelay", "cap"), Map.entry("maxinterval", "cap"),
			Map.entry("maxwait", "cap"), Map.entry("exponentialmaxwaitduration", "cap"),
			Map.entry("includes", "retry-on"), Map.entry("retryfor", "retry-on"),
			Map.entry("retryexceptions", "retry-on"), Map.entry("excludes", "abort-on"),
			Map.entry("noretryfor", "abort-on"), Map.entry("ignoreexceptions", "abort-on"),
			Map.entry("factor", "multiplier"), Map.entry("exponentialbackoffmultiplier", "multiplier"),
			Map.entry("randomizedwaitfactor", "jitter"), Map.entry("initialbackoff", "base"),
			Map.entry("minbackoff", "base"), Map.entry("maxbackoff", "cap"), Map.entry("jitterfactor", "jitter"),
			Map.entry("random", "jitter"), Map.entry("exclude", "abort-on"), Map.entry("include", "retry-on"),
			Map.entry("maxduration", "deadline"), Map.entry("timeout", "deadline"),
			Map.entry("baseconfig", "inherits"));

	private static final Set<String> RETRIES = Set.of("maxretries", "retries", "maxretry", "maxretryattempts",
			"maxretriesallowed", "retrycount", "maxnumretries");

	private Nearest() {
	}

	/** Return what we call a key that others call so, or null. */
	static @Nullable String ourWord(String name) {
		return OTHER_WORDS.get(TextValues.canonical(name));
	}

	/** Return whether others give a number of retries by this key. */
	static boolean countsRetries(String name) {
		return RETRIES.contains(TextValues.canonical(name));
	}

	/**
	 * Return the known name that is nearest to the given one, or null if none is within
	 * two letters, or within one for names of up to four.
	 * @param name what is written
	 * @param known what could be meant
	 * @return one of the known names, or null
	 */
	public static @Nullable String of(String name, Collection<String> known) {
		String wanted = TextValues.canonical(name);
		String nearest = null;
		int least = (wanted.length() <= 4) ? 2 : 3;
		for (String candidate : known) {
			String other = TextValues.canonical(candidate);
			int distance = (Math.abs(wanted.length() - other.length()) < least) ? distance(wanted, other) : least;
			if (distance < least) {
				least = distance;
				nearest = candidate;
			}
		}
		return nearest;
	}

	/** Return how many letters must be added, left out or changed. */
	private static int distance(String a, String b) {
		int[] row = new int[b.length() + 1];
		for (int j = 0; j <= b.length(); j++) {
			row[j] = j;
		}
		for (int i = 1; i <= a.length(); i++) {
			int diagonal = row[0];
			row[0] = i;
			for (int j = 1; j <= b.length(); j++) {
				int above = row[j];
				int changed = diagonal + ((a.charAt(i - 1) == b.charAt(j - 1)) ? 0 : 1);
				row[j] = Math.min(changed, 1 + Math.min(above, row[j - 1]));
				diagonal = above;
			}
		}
		return row[b.length()];
	}

}
