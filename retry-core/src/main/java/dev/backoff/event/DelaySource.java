package dev.backoff.event;

import java.util.Locale;

/**
 * Where a delay comes from.
 *
 * @since 0.1
 */
public enum DelaySource {

	/** The policy's own rule. */
	POLICY,

	/** A server's hint, which raised the delay. */
	HINT,

	/** The time until the breaker's next probe. */
	BREAKER,

	/** An empty budget that postponed the retry. */
	BUDGET,

	/**
	 * The queue for a permit of the policy's concurrency limit. The length of this wait
	 * is known only when it is over.
	 */
	CONCURRENCY,

	/**
	 * The queue for a turn of the policy's pace, as long a wait as is found out later.
	 */
	PACE;

	private final String tag = name().toLowerCase(Locale.ROOT);

	/**
	 * {@return the value of the metric tag {@code source}; the name in lower case}
	 */
	public String tag() {
		return this.tag;
	}

}
