package dev.backoff.test;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Compare names of policies and methods: by letters and digits, in any case. */
final class Names {

	private Names() {
	}

	private static String canonical(String name) {
		return name.replaceAll("[^\\p{L}\\p{N}]", "").toLowerCase(Locale.ROOT);
	}

	/** Return the names that are the given one, or those that are it in any spelling. */
	static List<String> find(Collection<String> names, String name) {
		return names.contains(name) ? List.of(name)
				: names.stream().filter((one) -> canonical(one).equals(canonical(name))).distinct().toList();
	}

	/** Return the names, those first that share most pairs of letters with a name. */
	static String nearestFirst(Collection<String> names, String name) {
		return names.stream()
			.sorted(Comparator.comparingDouble((String other) -> -likeness(canonical(other), canonical(name)))
				.thenComparing(Comparator.naturalOrder()))
			.collect(Collectors.joining(", "));
	}

	private static double likeness(String one, String other) {
		long common = IntStream.range(1, one.length())
			.filter((i) -> other.contains(one.substring(i - 1, i + 1)))
			.count();
		return 2.0 * common / (one.length() + other.length());
	}

}
