package dev.backoff.breaker;

import java.util.Locale;

/**
 * What a breaker does with calls.
 *
 * @since 0.1
 */
public enum BreakerState {

	/** Permit and count calls. */
	CLOSED,

	/** Reject calls for a time. */
	OPEN,

	/** Permit a few calls, whose results decide. */
	HALF_OPEN,

	/** Reject calls until another state is set by hand. */
	FORCED_OPEN,

	/** Permit calls and count nothing. */
	DISABLED;

	private final String tag = name().toLowerCase(Locale.ROOT);

	/**
	 * {@return the value of the metric tag {@code state}: the name in lower case}
	 */
	public String tag() {
		return this.tag;
	}

	/** Return the state as messages call it. */
	String words() {
		return this.tag.replace('_', '-');
	}

}
