package dev.backoff.spring.configuration;

import java.util.Collection;

import org.jspecify.annotations.Nullable;

/**
 * The known name that is probably meant.
 *
 * @since 0.1
 */
public final class Nearest {

	private Nearest() {
	}

	/**
	 * Return the nearest known name, or null if all differ by more than two letters, or
	 * by more than one from a given name of up to four.
	 */
	public static @Nullable String of(String name, Collection<String> known) {
		String wanted = Name.of(name).letters();
		String nearest = null;
		int least = (wanted.length() <= 4) ? 2 : 3;
		for (String candidate : known) {
			String other = Name.of(candidate).letters();
			int distance = (Math.abs(wanted.length() - other.length()) < least) ? distance(wanted, other) : least;
			if (distance < least) {
				least = distance;
				nearest = candidate;
			}
		}
		return nearest;
	}

	/** Return the nearest known name, but none that differs in digits only. */
	public static @Nullable String ofName(String name, Collection<String> known) {
		String letters = letters(name);
		return of(name, known.stream().filter((other) -> !letters(other).equals(letters)).toList());
	}

	/** Return a sentence that lists the names, after a blank, or an empty text. */
	public static String allOf(Collection<String> names) {
		return names.isEmpty() ? "" : " Known names: " + String.join(", ", names) + ".";
	}

	private static String letters(String name) {
		return Name.of(name).letters().replaceAll("\\d", "");
	}

	/* Letters added, left out, changed, or swapped with the next one. */
	private static int distance(String a, String b) {
		int[][] distances = new int[a.length() + 1][b.length() + 1];
		for (int i = 0; i <= a.length(); i++) {
			for (int j = 0; j <= b.length(); j++) {
				distances[i][j] = (i == 0 || j == 0) ? i + j
						: Math.min(distances[i - 1][j - 1] + ((a.charAt(i - 1) == b.charAt(j - 1)) ? 0 : 1),
								1 + Math.min(distances[i - 1][j], distances[i][j - 1]));
				if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
					distances[i][j] = Math.min(distances[i][j], distances[i - 2][j - 2] + 1);
				}
			}
		}
		return distances[a.length()][b.length()];
	}

}
