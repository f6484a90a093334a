package dev.backoff.failure;

import java.util.Locale;

/**
 * The cause of a retry. The set is closed, so that the cause can be a metric tag.
 *
 * @since 0.1
 */
public enum RetryCause {

	/** No connection was made, so the work was not applied. */
	CONNECT,

	/** An attempt or a part of it took too long. */
	TIMEOUT,

	/** Input or output failed midway. */
	IO,

	/** HTTP 429. */
	HTTP_429,

	/** HTTP 503. */
	HTTP_503,

	/** Another HTTP status of the 500s. */
	HTTP_5XX,

	/** A lock conflict, a deadlock or a failed serialization. */
	LOCK,

	/** A pool was empty. */
	POOL,

	/** A gRPC status. */
	GRPC,

	/** A result that counts as a failure. */
	RESULT,

	/** A result that is not final yet. */
	PENDING,

	/** Anything else. */
	OTHER;

	private final String tag = name().toLowerCase(Locale.ROOT);

	/**
	 * {@return the value of the metric tag {@code cause}; the name in lower case}
	 */
	public String tag() {
		return this.tag;
	}

}
