package dev.backoff.benchmarks.moving;

import org.springframework.retry.annotation.Recover;
import org.springframework.retry.annotation.Retryable;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;

import dev.backoff.annotation.Backoff;

/** An application that uses Spring Retry, before and after. */
final class FromSpringRetry {

	static class Before extends Reservations {

		@Override
		@Retryable(retryFor = { HttpServerErrorException.class, ResourceAccessException.class },
				maxAttemptsExpression = "${reservations.attempts:4}",
				backoff = @org.springframework.retry.annotation.Backoff(delayExpression = "${reservations.delay:100}",
						multiplier = 2, maxDelay = 400))
		public String reserve(String item) {
			return this.warehouse.reserve(item);
		}

		@Recover
		String putOff(Exception failure, String item) {
			return item + " later";
		}

	}

	static class After extends Reservations {

		@Override
		@Backoff(value = "reservations", maxAttempts = "${reservations.attempts:4}",
				base = "${reservations.delay:100}ms", recover = "putOff")
		public String reserve(String item) {
			return this.warehouse.reserve(item);
		}

		String putOff(Exception failure, String item) {
			return item + " later";
		}

	}

}
