package dev.backoff.spring.observation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.failure.Idempotency;

/**
 * Warn, once for each method, of a retry that sends a {@code POST} or {@code PATCH} again
 * that may have been applied, if the policy does not set {@code idempotent}, or sets it
 * to {@code by-key} and no key was sent. This needs a client that reports its requests,
 * as those that Spring Boot builds do, or a failure that names its request, as those of
 * {@code WebClient} and Feign. Thread-safe.
 */
final class RepeatLogger implements RetryListener {

	private static final Logger logger = LoggerFactory.getLogger(RepeatLogger.class);

	private static final int MAX_REMEMBERED = 1_000;

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	@Override
	public void onRetry(RetryEvent.Scheduled event) {
		RetryEvent.RepeatedRequest repeats = event.repeats();
		if (repeats == null || this.warned.size() >= MAX_REMEMBERED || !this.warned.add(event.method())) {
			return;
		}
		logger.atWarn()
			.addKeyValue("backoff.policy", event.policy())
			.addKeyValue("backoff.method", event.method())
			.log("Retrying " + event.method() + " sends a " + repeats.method() + " again that may have been applied"
					+ advice(repeats.idempotency()) + " (policy " + event.policy() + ")");
	}

	private static String advice(Idempotency idempotency) {
		return (idempotency == Idempotency.BY_KEY)
				? ", and its policy is idempotent by key, but no key was sent. Add the host to backoff.http.hosts, or "
						+ "send Attempt.current().idempotencyKey()"
				: ". Say whether that does harm: idempotent: true if it does none, false if it does, by-key if the "
						+ "server honours the idempotency key";
	}

}
