package dev.backoff.failure;

/**
 * Whether work that was applied already may be applied again: whether a failure is
 * retried that may have come too late to undo it.
 *
 * @since 0.1
 */
public enum Idempotency {

	/** Nobody has said; it is retried as if applying it twice did no harm. */
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
