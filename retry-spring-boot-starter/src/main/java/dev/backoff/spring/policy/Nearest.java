package dev.backoff.spring.policy;

import java.util.Collection;

import org.jspecify.annotations.Nullable;

/** The known name that is probably meant. @since 0.1 */
public final class Nearest {

	private Nearest() {
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

	/**
	 * Return the known name that is nearest to the given one, as {@link #of} does. Names
	 * that differ in digits only, such as {@code orders} and {@code orders2}, are not
	 * near each other.
	 * @param name the name of a policy
	 * @param known the other names
	 * @return one of the known names, or null
	 */
	public static @Nullable String ofName(String name, Collection<String> known) {
		String letters = letters(name);
		return of(name, known.stream().filter((other) -> !letters(other).equals(letters)).toList());
	}

	/** Return a sentence that lists the names there are, or nothing. */
	static String allOf(Collection<String> names) {
		return names.isEmpty() ? "" : " Known names: " + String.join(", ", names) + ".";
	}

	private static String letters(String name) {
		return TextValues.canonical(name).replaceAll("\\d", "");
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
