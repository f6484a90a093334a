package dev.backoff.test;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Compare names of policies and methods: by letters and digits, in any case. */
final class Names {

	private Names() {
	}

	static String canonical(String name) {
		return name.replaceAll("[^\\p{L}\\p{N}]", "").toLowerCase(Locale.ROOT);
	}

	static boolean contain(Collection<String> names, String name) {
		return names.stream().anyMatch((one) -> canonical(one).equals(canonical(name)));
	}

	/** Return the names, those first that share most pairs of letters with a name. */
	static String nearestFirst(Collection<String> names, String name) {
		Set<String> wanted = pairs(name);
		return names.stream().sorted(Comparator.comparingDouble((String other) -> {
			Set<String> pairs = pairs(other);
			int all = pairs.size() + wanted.size();
			pairs.retainAll(wanted);
			return -(double) pairs.size() / all;
		}).thenComparing(Comparator.naturalOrder())).collect(Collectors.joining(", "));
	}

	private static Set<String> pairs(String name) {
		String letters = canonical(name);
		return IntStream.range(1, letters.length())
			.mapToObj((i) -> letters.substring(i - 1, i + 1))
			.collect(Collectors.toSet());
	}

}
