package dev.backoff.spring.policy;

import java.util.List;

/**
 * One key as a source of configuration has it.
 *
 * @param path the parts of the key after {@code backoff}, as written, without an index
 * @param index the place in a list, or -1
 * @param property the whole key as written
 * @param texts the value, placeholders not resolved; more than one for a value that is a
 * list by itself
 * @param origin where it is written
 */
record WrittenKey(List<String> path, int index, String property, List<String> texts, String origin) {

	/** Return the path as it is compared. */
	String canonicalPath() {
		return String.join(".", this.path.stream().map(TextValues::canonical).toList());
	}

}
