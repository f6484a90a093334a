package dev.backoff.pace;

import java.time.Duration;

/**
 * What a response told about one quota. Immutable and thread-safe. A reading whose limit
 * is not above zero, or whose remaining part or time is negative, tells nothing and is
 * ignored.
 *
 * @param name what the server calls the quota, such as {@code requests} or {@code tokens}
 * @param limit how much the server allows when nothing is used
 * @param remaining how much is left
 * @param reset the time until all of the limit is there again, at most a year
 * @param ofRequests whether the quota counts requests; another quota counts what they
 * use, and a request is taken to use what one has used on average
 * @param window whether all of the limit comes back at the end of {@code reset}, as in a
 * fixed window; otherwise the quota is a bucket that refills steadily
 * @since 0.1
 */
public record QuotaReading(String name, long limit, long remaining, Duration reset, boolean ofRequests,
		boolean window) {

	boolean isTold() {
		return this.limit > 0 && this.remaining >= 0 && !this.reset.isNegative();
	}

	double used() {
		return Math.max(0, this.limit - this.remaining);
	}

}
