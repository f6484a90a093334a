package dev.backoff.spring.policy;

/**
 * A text that does not say what it should: the rule it breaks, and how to mend it.
 */
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
