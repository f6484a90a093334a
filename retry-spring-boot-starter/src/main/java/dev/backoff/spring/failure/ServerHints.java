package dev.backoff.spring.failure;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * The wait that an HTTP server asks for: by {@code retry-after-ms}, else by
 * {@code Retry-After}, in seconds, of which a fraction is rounded up, or as a date, else
 * by {@code RateLimit}. A value that is neither counts as absent, and the first of
 * several that can be read counts.
 * <p>
 * A date is compared with the {@code Date} of the same response, so that the server's
 * clock may be wrong. Without one, and if a cache answers, whose {@code Age} is then not
 * zero, it is compared with our own clock. A date in the past is a wait of zero.
 * Thread-safe.
 */
record ServerHints(Clock clock) {

	/** The longest value that is read: dates and numbers are shorter. */
	private static final int MAX_VALUE_LENGTH = 256;

	private static final int MAX_FIELD_LENGTH = 4096;

	/** Return how long the server asks to wait, or null. */
	@Nullable Duration wait(HttpHeaders headers) {
		Duration millis = ServerWait.of(text(headers, "retry-after-ms"), Duration.ofMillis(1));
		Duration wait = (millis != null) ? millis : retryAfter(headers);
		return (wait != null) ? wait : RateLimitField.wait(field(headers, "RateLimit"));
	}

	private @Nullable Duration retryAfter(HttpHeaders headers) {
		for (String value : headers.getOrEmpty(HttpHeaders.RETRY_AFTER)) {
			Duration wait = retryAfter(readable(value), headers);
			if (wait != null) {
				return wait;
			}
		}
		return null;
	}

	private @Nullable Duration retryAfter(String text, HttpHeaders headers) {
		Duration seconds = ServerWait.seconds(text);
		if (seconds != null || text.isEmpty()) {
			return seconds;
		}
		Instant then = HttpDate.parse(text, this.clock.instant());
		return (then != null) ? until(then, headers) : null;
	}

	/** Return the time from the response to an instant, zero if it is over. */
	Duration until(Instant then, HttpHeaders headers) {
		Instant now = this.clock.instant();
		Instant sent = isFromCache(headers) ? null : HttpDate.parse(text(headers, HttpHeaders.DATE), now);
		return ServerWait.bounded(Duration.between((sent != null) ? sent : now, then));
	}

	/** Return whether the response is older than its arrival. */
	static boolean isFromCache(HttpHeaders headers) {
		Duration age = ServerWait.seconds(text(headers, HttpHeaders.AGE));
		return age != null && !age.isZero();
	}

	/** Return all lines of a structured field as one, or an empty text if it is long. */
	static String field(HttpHeaders headers, String name) {
		List<String> lines = headers.getOrEmpty(name);
		boolean readable = lines.stream().mapToInt((line) -> line.length() + 1).sum() <= MAX_FIELD_LENGTH;
		return readable ? String.join(",", lines) : "";
	}

	/** Return the first value of a header, or an empty text if it is absent or long. */
	static String text(HttpHeaders headers, String name) {
		return readable(headers.getFirst(name));
	}

	private static String readable(@Nullable String value) {
		return (value == null || value.length() > MAX_VALUE_LENGTH) ? "" : value.strip();
	}

}
