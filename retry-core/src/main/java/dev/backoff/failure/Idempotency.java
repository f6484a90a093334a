package dev.backoff.failure;

/**
 * Whether work may be applied twice. The answer decides whether a failure is retried
 * after which the work may have been applied.
 *
 * @since 0.1
 */
public enum Idempotency {

	/** Not set: the failure is retried as if applying the work twice did no harm. */
	ASSUMED,

	/** Applying the work twice does no harm. */
	YES,

	/**
	 * Applying the work twice does harm: a failure is retried only if the work is known
	 * not to have been applied.
	 */
	NO,

	/** The server honours the idempotency key, and applies work with one key once. */
	BY_KEY

}
