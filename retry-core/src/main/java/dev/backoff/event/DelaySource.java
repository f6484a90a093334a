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

	/** A server's hint, which raised it. */
	HINT,

	/** The breaker's next probe. */
	BREAKER,

	/** An empty budget that postponed the retry. */
	BUDGET,

	/**
	 * The queue for a permit, as many attempts of the policy run at once as may. How long
	 * the wait is, is known when it is over.
	 */
	CONCURRENCY;

	private final String tag = name().toLowerCase(Locale.ROOT);

	/**
	 * {@return the value of the metric tag {@code source}; the name in lower case}
	 */
	public String tag() {
		return this.tag;
	}

}
