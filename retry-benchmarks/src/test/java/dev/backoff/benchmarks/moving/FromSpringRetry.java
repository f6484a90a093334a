package dev.backoff.benchmarks.moving;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Recover;
import org.springframework.retry.annotation.Retryable;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

/** An application that uses Spring Retry, before and after. */
final class FromSpringRetry {

	private FromSpringRetry() {
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(AopAutoConfiguration.class)
	@EnableRetry
	@Import(ReservationsBefore.class)
	static class Before {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class })
	@Import(ReservationsAfter.class)
	static class After {

	}

	static class ReservationsBefore implements Reservations {

		private final Warehouse warehouse;

		ReservationsBefore(Warehouse warehouse) {
			this.warehouse = warehouse;
		}

		@Override
		@Retryable(retryFor = { HttpServerErrorException.class, ResourceAccessException.class }, maxAttempts = 4,
				backoff = @org.springframework.retry.annotation.Backoff(delay = 100, multiplier = 2, maxDelay = 400))
		public String reserve(String item) {
			return this.warehouse.reserve(item);
		}

		@Recover
		String putOff(Exception failure, String item) {
			return item + " later";
		}

	}

	static class ReservationsAfter implements Reservations {

		private final Warehouse warehouse;

		ReservationsAfter(Warehouse warehouse) {
			this.warehouse = warehouse;
		}

		@Override
		@Backoff(value = "reservations", recover = "putOff")
		public String reserve(String item) {
			return this.warehouse.reserve(item);
		}

		String putOff(String item, RetriesStoppedException report) {
			return item + " later";
		}

	}

}
