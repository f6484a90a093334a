package dev.backoff.spring.policy;

import java.util.List;

/**
 * A value as it is written, and where.
 *
 * @param texts the text, or the elements of a list, placeholders resolved
 * @param place what a report calls it:
 * {@code @Backoff on OrderService.place(Order): invalid
 * cap} or {@code Invalid backoff.policies.orders.cap}
 * @param origin where it is written: {@code annotation on OrderService.place} or
 * {@code application.yml:12}
 */
record ConfigValue(List<String> texts, String place, String origin) {

	ConfigValue {
		texts = List.copyOf(texts);
	}

	/** Return the value as one text. */
	String text() {
		return String.join(", ", this.texts);
	}

	/** Return the same value with other elements. */
	ConfigValue withTexts(List<String> texts) {
		return new ConfigValue(texts, this.place, this.origin);
	}

	/** Return a report that the value breaks a rule. */
	Problem problem(String rule, String fix) {
		return Problem.ofValue(this.place, text(), this.place.startsWith("@") ? "" : this.origin, rule, fix);
	}

	Problem problem(InvalidTextException ex) {
		return problem(ex.rule(), ex.fix());
	}

}
