package dev.backoff.spring.configuration;

import java.util.regex.Pattern;

/**
 * One problem of the configuration or the annotations: its place, the value, the rule
 * that the value breaks, and the fix.
 *
 * @param message the place, the value and the rule, one sentence
 * @param fix what to write instead, a sentence
 * @since 0.1
 */
public record Problem(String message, String fix) {

	/* What could begin a line in a log. */
	private static final Pattern CONTROLS = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

	/* Of a text from outside. */
	static final int LONGEST = 60;

	/** Report a value. */
	static Problem ofValue(String place, String value, String origin, String rule, String fix) {
		String where = origin.isEmpty() ? "" : " at " + origin;
		return ofPlace(place + " (" + value + ")" + where, rule, fix);
	}

	/** Create a problem of a place from a rule without a full stop, and a fix. */
	public static Problem ofPlace(String place, String rule, String fix) {
		return new Problem(oneLine(place + ": " + rule + ".", Integer.MAX_VALUE), oneLine(fix, Integer.MAX_VALUE));
	}

	/** Return at most 60 characters, with {@code ?} for control characters. */
	public static String oneLine(String text) {
		return oneLine(text, LONGEST);
	}

	/** Return the same with at most the given number of characters. */
	public static String oneLine(String text, int longest) {
		boolean whole = text.codePointCount(0, text.length()) <= longest;
		String line = whole ? text : text.substring(0, text.offsetByCodePoints(0, longest)) + "...";
		return CONTROLS.matcher(line).replaceAll("?");
	}

	@Override
	public String toString() {
		return this.message + " " + this.fix;
	}

}
