package dev.backoff.spring.failure;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * The wait that an HTTP server asks for: by {@code Retry-After}, in seconds, of which a
 * fraction is rounded up, or as a date, else by {@code RateLimit}. A value that is
 * neither counts as absent, and the first of several that can be read counts.
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
		Duration wait = retryAfter(headers);
		return (wait != null) ? wait : rateLimit(headers);
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
		Instant now = this.clock.instant();
		Instant then = HttpDate.parse(text, now);
		if (then == null) {
			return null;
		}
		Duration age = ServerWait.seconds(readable(headers.getFirst(HttpHeaders.AGE)));
		Instant sent = (age == null || age.isZero()) ? HttpDate.parse(readable(headers.getFirst(HttpHeaders.DATE)), now)
				: null;
		return ServerWait.bounded(Duration.between((sent != null) ? sent : now, then));
	}

	private static @Nullable Duration rateLimit(HttpHeaders headers) {
		List<String> lines = headers.getOrEmpty("RateLimit");
		boolean readable = lines.stream().mapToInt((line) -> line.length() + 1).sum() <= MAX_FIELD_LENGTH;
		return readable ? RateLimitField.wait(String.join(",", lines)) : null;
	}

	private static String readable(@Nullable String value) {
		return (value == null || value.length() > MAX_VALUE_LENGTH) ? "" : value.strip();
	}

}
