package dev.backoff.spring.observation;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;

import ch.qos.logback.classic.Level;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.failure.Idempotency;
import dev.backoff.failure.RetryCause;

import static org.assertj.core.api.Assertions.assertThat;

class RepeatLoggerTests {

	private final LogCapture log = new LogCapture(RepeatLogger.class);

	private final RepeatLogger logger = new RepeatLogger();

	@AfterEach
	void close() {
		this.log.close();
	}

	@Test
	void warnsOncePerMethodAndSaysWhatToSet() {
		this.logger.onRetry(event("Orders.place", "POST"));
		this.logger.onRetry(event("Orders.place", "PATCH"));
		this.logger.onRetry(event("Orders.change", "PATCH"));
		assertThat(this.log.lines(Level.WARN)).containsExactly(
				"Retrying Orders.place sends a POST again that may have been applied. Say whether that does harm: "
						+ "idempotent: true if it does none, false if it does, by-key if the server honours the idempotency "
						+ "key (policy orders)",
				"Retrying Orders.change sends a PATCH again that may have been applied. Say whether that does harm: "
						+ "idempotent: true if it does none, false if it does, by-key if the server honours the idempotency "
						+ "key (policy orders)");
		assertThat(LogCapture.keyValues(this.log.events().get(0)))
			.isEqualTo(Map.of("backoff.policy", "orders", "backoff.method", "Orders.place"));
	}

	@Test
	void warnsWhereTheKeyIsMissing() {
		this.logger.onRetry(new RetryEvent.Scheduled("orders", "Orders.place", 1, Duration.ofMillis(100),
				DelaySource.POLICY, RetryCause.IO, new IOException("reset"),
				new RetryEvent.RepeatedRequest("POST", Idempotency.BY_KEY)));
		assertThat(this.log.lines(Level.WARN)).containsExactly(
				"Retrying Orders.place sends a POST again that may have been applied, and its policy is idempotent by "
						+ "key, but no key was sent. Add the host to backoff.http.hosts, or send "
						+ "Attempt.current().idempotencyKey() (policy orders)");
	}

	@Test
	void saysNothingOfOtherRetries() {
		this.logger.onRetry(event("Orders.place", null));
		assertThat(this.log.events()).isEmpty();
	}

	@Test
	void remembersNoMoreThanAThousandMethods() {
		for (int i = 0; i < 1_100; i++) {
			this.logger.onRetry(event("Orders.place" + i, "POST"));
		}
		assertThat(this.log.events()).hasSize(1_000);
	}

	private static RetryEvent.Scheduled event(String method, @Nullable String repeats) {
		return new RetryEvent.Scheduled("orders", method, 1, Duration.ofMillis(100), DelaySource.POLICY, RetryCause.IO,
				new IOException("reset"),
				(repeats != null) ? new RetryEvent.RepeatedRequest(repeats, Idempotency.ASSUMED) : null);
	}

}
