package dev.backoff.benchmarks.moving;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;

import dev.failsafe.Failsafe;
import dev.failsafe.RetryPolicy;

import org.springframework.web.client.HttpClientErrorException;

import dev.backoff.annotation.Backoff;

/** An application that uses Failsafe, before and after. */
final class FromFailsafe {

	static class Before extends Reservations {

		private final RetryPolicy<String> policy = RetryPolicy.<String>builder()
			.abortOn(HttpClientErrorException.class)
			.withBackoff(Duration.ofMillis(100), Duration.ofMillis(400))
			.withMaxRetries(3)
			.build();

		@Override
		public String reserve(String item) {
			return Failsafe.with(this.policy).get(() -> this.warehouse.reserve(item));
		}

	}

	static class After extends Reservations {

		@Override
		@Remote
		public String reserve(String item) {
			return this.warehouse.reserve(item);
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Backoff(value = "reservations", base = "100ms", cap = "400ms")
	@interface Remote {

	}

}
