package dev.backoff.benchmarks.moving;

import org.springframework.resilience.annotation.Retryable;
import org.springframework.web.client.HttpClientErrorException;

import dev.backoff.annotation.Backoff;

/** An application that uses Framework's own retries, before and after. */
final class FromFramework {

	static class Before extends Reservations {

		@Override
		@Retryable(maxRetries = 3, delay = 100, jitter = 50, multiplier = 2, maxDelay = 400, timeout = 5000,
				excludes = HttpClientErrorException.class)
		public String reserve(String item) {
			return this.warehouse.reserve(item);
		}

	}

	static class After extends Reservations {

		@Override
		@Backoff("reservations")
		public String reserve(String item) {
			return this.warehouse.reserve(item);
		}

	}

}
