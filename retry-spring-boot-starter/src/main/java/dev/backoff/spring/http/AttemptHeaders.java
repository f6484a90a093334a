package dev.backoff.spring.http;

import java.net.URI;
import java.time.Duration;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

import dev.backoff.OutboundRequest;
import dev.backoff.spring.configuration.HttpSettings;

/**
 * The headers that describe the attempt to which a request belongs: the attempt's number,
 * the time left in milliseconds, and the idempotency key, quoted as a structured field.
 *
 * <pre>
 * X-Retry-Attempt: 2
 * X-Retry-Deadline-Ms: 1840
 * Idempotency-Key: "0b9f2f0e-6f0c-3c55-a1f5-6f1d5c0f6c9e"
 * </pre>
 *
 * Only requests to {@code backoff.http.hosts} get them, and a header that a request has
 * already is kept. Requests to all hosts are counted. Of the clients that follow
 * redirects, Apache HttpClient 5 and Reactor Netty pass the headers on to those hosts
 * only; the others copy all headers of a request. Thread-safe.
 */
record AttemptHeaders(HttpSettings settings) {

	private static final Logger logger = LoggerFactory.getLogger(AttemptHeaders.class);

	/* Methods without an effect, which need no key. */
	private static final Set<HttpMethod> SAFE = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS,
			HttpMethod.TRACE);

	AttemptHeaders(HttpSettings settings, String clients) {
		this(settings);
		if (settings.hosts().contains("*")) {
			logger.info("Requests of " + clients
					+ " describe their attempts to every host, also to those of third parties: backoff.http.hosts has *");
		}
	}

	/** Count a request of the running attempt, and return it if it gets headers. */
	@Nullable OutboundRequest begin(HttpMethod method, URI uri) {
		OutboundRequest request = OutboundRequest.begin(method.name(), uri);
		return (request != null && isFor(uri)) ? request : null;
	}

	/** Return whether a host gets headers, as the target of a redirect too. */
	boolean isFor(URI uri) {
		return new HostPatterns(this.settings.hosts()).match(uri);
	}

	void add(OutboundRequest request, HttpMethod method, HttpHeaders headers) {
		if (request.attempt() > 0) {
			addIfAbsent(headers, this.settings.attemptHeader(), Integer.toString(request.attempt()));
		}
		Duration timeLeft = request.timeLeft();
		if (timeLeft != null) {
			addIfAbsent(headers, this.settings.deadlineHeader(), Long.toString(timeLeft.toMillis()));
		}
		// a key that is asked for counts as sent
		String key = SAFE.contains(method) ? null : request.idempotencyKey();
		if (key != null) {
			addIfAbsent(headers, this.settings.idempotencyHeader(), '"' + key + '"');
		}
	}

	private static void addIfAbsent(HttpHeaders headers, String name, String value) {
		if (!headers.containsHeader(name)) {
			headers.set(name, value);
		}
	}

}
