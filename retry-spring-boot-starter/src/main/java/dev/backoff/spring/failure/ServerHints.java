package dev.backoff.spring.failure;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * How long an HTTP server asks to wait: by {@code Retry-After}, in seconds or as a date,
 * else by {@code RateLimit}. Anything that is neither is as good as absent.
 * <p>
 * A date is compared with the {@code Date} of the same response, so that the server's
 * clock may be wrong; only without one is our own clock read. A date in the past is a
 * wait of zero. Thread-safe.
 */
final class ServerHints {

	/** Longer values are not looked at: neither a date nor a number needs as much. */
	private static final int MAX_VALUE_LENGTH = 256;

	private static final int MAX_FIELD_LENGTH = 4096;

	private final Clock clock;

	ServerHints(Clock clock) {
		this.clock = clock;
	}

	/** Return how long the server asks to wait. */
	@Nullable Duration wait(HttpHeaders headers) {
		Duration wait = retryAfter(headers);
		return (wait != null) ? wait : rateLimit(headers);
	}

	private @Nullable Duration retryAfter(HttpHeaders headers) {
		String text = value(headers, HttpHeaders.RETRY_AFTER);
		Duration seconds = ServerWait.ofSeconds(text);
		if (seconds != null) {
			return seconds;
		}
		Instant now = this.clock.instant();
		Instant then = HttpDate.parse(text, now);
		if (then == null) {
			return null;
		}
		Instant sent = HttpDate.parse(value(headers, HttpHeaders.DATE), now);
		return ServerWait.bounded(Duration.between((sent != null) ? sent : now, then));
	}

	private static @Nullable Duration rateLimit(HttpHeaders headers) {
		List<String> lines = headers.getOrEmpty("RateLimit");
		int length = lines.size();
		for (String line : lines) {
			length += line.length();
			if (length > MAX_FIELD_LENGTH) {
				return null;
			}
		}
		return lines.isEmpty() ? null : RateLimitField.wait(String.join(",", lines));
	}

	private static String value(HttpHeaders headers, String name) {
		String value = headers.getFirst(name);
		return (value == null || value.length() > MAX_VALUE_LENGTH) ? "" : value.strip();
	}

}
