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

	/** Report a value. */
	static Problem ofValue(String place, String value, String origin, String rule, String fix) {
		String where = origin.isEmpty() ? "" : " at " + origin;
		return ofPlace(place + " (" + value + ")" + where, rule, fix);
	}

	/**
	 * Create a problem of a place from the broken rule, which has no full stop, and the
	 * fix, which is a sentence.
	 */
	public static Problem ofPlace(String place, String rule, String fix) {
		return new Problem(Overrides.oneLine(place + ": " + rule + ".", Integer.MAX_VALUE),
				Overrides.oneLine(fix, Integer.MAX_VALUE));
	}

	@Override
	public String toString() {
		return this.message + " " + this.fix;
	}

}
