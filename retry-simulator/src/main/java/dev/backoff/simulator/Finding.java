package dev.backoff.simulator;

import java.util.Locale;
import java.util.Map;

/**
 * Something to know about a policy, in words and numbers.
 *
 * @param id what it is about, such as {@code never-recovers}
 * @param severity how bad it is
 * @param text one or two sentences
 * @param numbers the numbers of the text by name
 * @since 0.1
 */
public record Finding(String id, Severity severity, String text, Map<String, Object> numbers) {

	Map<String, Object> figures() {
		return new Figures().put("id", this.id)
			.put("severity", this.severity.key())
			.put("text", this.text)
			.put("numbers", this.numbers)
			.map();
	}

	@Override
	public String toString() {
		return this.severity.key() + ": " + this.id + ": " + this.text;
	}

	/** How bad a finding is, from harmless to bad. */
	public enum Severity {

		/** Worth knowing. */
		INFO,

		/** Probably not meant. */
		WARN,

		/** It harms the service or the calls. */
		ERROR;

		String key() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
