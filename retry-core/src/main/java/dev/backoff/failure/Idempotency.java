package dev.backoff.failure;

/**
 * Whether work may be applied twice. The answer decides whether a failure is retried
 * after which the work may have been applied.
 *
 * @since 0.1
 */
public enum Idempotency {

	/**
	 * The HTTP methods of the requests that an attempt sends tell it (RFC 9110, section
	 * 9.2.2). After an unsafe request, such as a POST, a failure is retried only if that
	 * request was not applied. Without a known request, the failure is retried.
	 */
	BY_METHOD,

	/** Applying the work twice does no harm. */
	YES,

	/**
	 * Applying the work twice does harm: a failure is retried only if the work is known
	 * not to have been applied.
	 */
	NO,

	/**
	 * The server honours the idempotency key, and applies work with one key once. An
	 * attempt that neither sends nor asks for the key is judged {@link #BY_METHOD}.
	 */
	BY_KEY

}
