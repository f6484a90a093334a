package dev.backoff.spring.policy;

import java.util.List;

import org.jspecify.annotations.Nullable;

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

	/** Return the section that the key is below, or null. */
	@Nullable Section<?> section() {
		return (this.path.size() > 1) ? Section.of(this.path.get(0)) : null;
	}

	/** Return the name in its section that the key is below, or null. */
	@Nullable String name() {
		return (section() != null) ? this.path.get(1) : null;
	}

	/** Return the whole key as written, without an index. */
	String key() {
		return (this.index < 0) ? this.property : this.property.replaceAll("\\[\\d+]$", "");
	}

	/** Return whether nothing is written after the key. */
	boolean isEmpty() {
		return this.texts.stream().allMatch(String::isBlank);
	}

	/** Return a report that the key is wrong. */
	Problem problem(String rule, String fix) {
		return Problem.ofValue("Invalid " + key(), String.join(", ", this.texts), this.origin, rule, fix);
	}

}
