package dev.backoff.spring.configuration;

import java.util.List;

/**
 * The headers of calls over HTTP: the keys below {@code backoff.http}, {@code inbound}
 * excepted. The hosts are in lower case. Immutable.
 *
 * @since 0.1
 */
public record HttpSettings(List<String> hosts, String attemptHeader, String deadlineHeader, String idempotencyHeader) {

	/** The default header with the number of the attempt. */
	public static final String ATTEMPT = "X-Retry-Attempt";

	/** The default header with the time left, in milliseconds. */
	public static final String DEADLINE = "X-Retry-Deadline-Ms";

	/** The default header with the idempotency key. */
	public static final String IDEMPOTENCY = "Idempotency-Key";

}
