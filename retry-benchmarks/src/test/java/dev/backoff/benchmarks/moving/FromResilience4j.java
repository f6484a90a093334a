package dev.backoff.benchmarks.moving;

import io.github.resilience4j.retry.annotation.Retry;

import dev.backoff.annotation.Backoff;

/** An application that uses Resilience4j, before and after. */
final class FromResilience4j {

	static class Before extends Reservations {

		@Override
		@Retry(name = "reservations", fallbackMethod = "putOff")
		public String reserve(String item) {
			return this.warehouse.reserve(item);
		}

		String putOff(String item, Exception failure) {
			return item + " later";
		}

	}

	static class After extends Reservations {

		@Override
		@Backoff(value = "reservations", recover = "putOff")
		public String reserve(String item) {
			return this.warehouse.reserve(item);
		}

		String putOff(String item, Exception failure) {
			return item + " later";
		}

	}

}
