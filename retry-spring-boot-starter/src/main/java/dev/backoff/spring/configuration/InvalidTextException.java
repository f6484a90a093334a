package dev.backoff.spring.configuration;

/** A text that cannot be read: the rule that it breaks, and the fix. */
final class InvalidTextException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String rule;

	private final String fix;

	InvalidTextException(String rule, String fix) {
		super(rule, null, false, false);
		this.rule = rule;
		this.fix = fix;
	}

	/** Return the rule, to be read after the value: "must be ...". */
	String rule() {
		return this.rule;
	}

	/** Return what to write instead, an imperative. */
	String fix() {
		return this.fix;
	}

}
