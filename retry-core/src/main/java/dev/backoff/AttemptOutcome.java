package dev.backoff;

import java.util.Locale;

/**
 * What kind of end one attempt came to. {@link #tag()} is the value of the metric tag
 * {@code outcome}.
 *
 * @since 0.1
 */
public enum AttemptOutcome {

	/** A good result. */
	SUCCESS,

	/** A result that is not final yet: the answer of a polling. */
	PENDING,

	/** A result that counts as a failure. */
	RESULT,

	/** A failure that may pass. */
	TRANSIENT,

	/** A refusal because of load. */
	THROTTLED,

	/** A failure that will not pass. */
	PERMANENT,

	/** The attempt took too long. */
	TIMEOUT,

	/** The attempt was cancelled or interrupted. */
	CANCELLED,

	/** An {@link Error}. */
	ERROR;

	private final String tag = name().toLowerCase(Locale.ROOT);

	/**
	 * Return the value of the metric tag {@code outcome}.
	 * @return the name in lower case
	 */
	public String tag() {
		return this.tag;
	}

}
