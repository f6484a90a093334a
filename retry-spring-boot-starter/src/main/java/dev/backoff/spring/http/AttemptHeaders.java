package dev.backoff.spring.http;

import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.HttpHeaders;

import dev.backoff.OutboundRequest;
import dev.backoff.spring.policy.HttpSettings;

/**
 * The headers by which a request tells its server about the attempt it belongs to: the
 * attempt's number, the time left in milliseconds, and the idempotency key, quoted as a
 * structured field.
 *
 * <pre>
 * X-Retry-Attempt: 2
 * X-Retry-Deadline-Ms: 1840
 * Idempotency-Key: "0b9f2f0e-6f0c-3c55-a1f5-6f1d5c0f6c9e"
 * </pre>
 *
 * Only hosts in {@code backoff.http.hosts} are told, and a header that the request has
 * already stays as it is. That a request is sent is noted whatever its host. Thread-safe.
 */
final class AttemptHeaders {

	private static final Logger logger = LoggerFactory.getLogger(AttemptHeaders.class);

	/* They have no effect that a key could keep from happening twice. */
	private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

	private final HttpSettings settings;

	private final HostPatterns hosts;

	private final AtomicBoolean failed = new AtomicBoolean();

	AttemptHeaders(HttpSettings settings, String clients) {
		this.settings = settings;
		this.hosts = new HostPatterns(settings.hosts());
		if (settings.hosts().contains("*")) {
			logger.info("Every host that " + clients
					+ " calls is told about attempts, also those of others: backoff.http.hosts has *");
		}
	}

	/** Note that the running attempt sends a request. */
	@Nullable OutboundRequest begin(String method, URI uri) {
		try {
			OutboundRequest request = OutboundRequest.begin(method);
			return (request != null && this.hosts.match(uri)) ? request : null;
		}
		catch (RuntimeException ex) {
			workAround(ex);
			return null;
		}
	}

	/** Add what the request tells. */
	void add(OutboundRequest request, String method, HttpHeaders headers) {
		try {
			if (request.attempt() > 0) {
				addIfAbsent(headers, this.settings.attemptHeader(), Integer.toString(request.attempt()));
			}
			Duration timeLeft = request.timeLeft();
			if (timeLeft != null) {
				addIfAbsent(headers, this.settings.deadlineHeader(), Long.toString(timeLeft.toMillis()));
			}
			String key = request.idempotencyKey();
			if (key != null && !SAFE.contains(method)) {
				addIfAbsent(headers, this.settings.idempotencyHeader(), '"' + key + '"');
			}
		}
		catch (RuntimeException ex) {
			workAround(ex);
		}
	}

	private static void addIfAbsent(HttpHeaders headers, String name, String value) {
		if (!headers.containsHeader(name)) {
			headers.set(name, value);
		}
	}

	private void workAround(RuntimeException ex) {
		if (this.failed.compareAndSet(false, true)) {
			logger.warn("A request could not be told about its attempt, and is sent as it is", ex);
		}
	}

}
