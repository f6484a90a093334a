package dev.backoff.failure;

/**
 * Whether work that was applied already may be applied again. It decides on failures
 * after which the work may have been applied.
 *
 * @since 0.1
 */
public enum Idempotency {

	/** Not set: the failure is retried as if applying the work twice did no harm. */
	ASSUMED,

	/** Applying it twice does no harm. */
	YES,

	/**
	 * Applying it twice does harm: only failures that are known to have applied nothing
	 * are retried.
	 */
	NO,

	/** The server honours the idempotency key, and applies work with one key once. */
	BY_KEY

}
