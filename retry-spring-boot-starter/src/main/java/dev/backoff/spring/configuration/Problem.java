package dev.backoff.spring.configuration;

/**
 * One problem of the configuration or the annotations: its place, the value, the rule
 * that the value breaks, and the fix.
 *
 * @param message the place, the value and the rule, one sentence
 * @param fix what to write instead, a sentence
 * @since 0.1
 */
public record Problem(String message, String fix) {

	/* Of a text from outside. */
	static final int LONGEST = 60;

	/** Report a value. */
	static Problem ofValue(String place, String value, String origin, String rule, String fix) {
		String where = origin.isEmpty() ? "" : " at " + origin;
		return ofPlace(place + " (" + value + ")" + where, rule, fix);
	}

	/** Report a value in effect, which may be a default. */
	public static Problem ofValue(String place, EffectiveValue value, String rule, String fix) {
		return value.wasSet() ? ofValue(place, value.value(), value.origin(), rule, fix)
				: ofValue(place, value.value() + ", " + value.origin(), "", rule, fix);
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
		String line = text.codePoints()
			.limit(longest)
			.map((letter) -> isPlain(letter) ? letter : '?')
			.collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
			.toString();
		return (line.length() < text.length()) ? line + "..." : line;
	}

	private static boolean isPlain(int letter) {
		return switch (Character.getType(letter)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE, Character.UNASSIGNED ->
				false;
			default -> true;
		};
	}

	@Override
	public String toString() {
		return this.message + " " + this.fix;
	}

}
