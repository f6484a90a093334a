package dev.backoff.simulator;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import dev.backoff.time.DurationText;

/**
 * Names and numbers in the order in which they are put. Numbers are rounded to three
 * decimals and written by decimal arithmetic, so that every JVM writes the same bytes.
 */
final class Figures {

	private final Map<String, Object> figures = new LinkedHashMap<>();

	Figures put(String name, double number) {
		return put(name, (Object) rounded(number, 3));
	}

	Figures put(String name, Object value) {
		this.figures.put(name, value);
		return this;
	}

	Map<String, Object> map() {
		return Collections.unmodifiableMap(this.figures);
	}

	static BigDecimal rounded(double number, int decimals) {
		BigDecimal rounded = new BigDecimal(number).setScale(decimals, RoundingMode.HALF_UP).stripTrailingZeros();
		return (rounded.scale() < 0) ? rounded.setScale(0) : rounded;
	}

	/** Return a number as a person reads it. */
	static String text(double number) {
		return rounded(number, (Math.abs(number) < 1) ? 3 : (Math.abs(number) < 100) ? 1 : 0).toPlainString();
	}

	/** Return seconds as a person reads them. */
	static String seconds(double seconds) {
		return DurationText.rounded(Math.round(seconds * 1e9));
	}

	static String text(Duration duration) {
		return DurationText.rounded(duration.toNanos());
	}

	static String percent(double share) {
		return text(100 * share) + " %";
	}

}
