package dev.backoff.benchmarks.moving;

import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.springboot.retry.autoconfigure.RetryAutoConfiguration;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

/** An application that uses Resilience4j, before and after. */
final class FromResilience4j {

	private FromResilience4j() {
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, RetryAutoConfiguration.class })
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
		@Retry(name = "reservations", fallbackMethod = "putOff")
		public String reserve(String item) {
			return this.warehouse.reserve(item);
		}

		String putOff(String item, Exception failure) {
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

		String putOff(String item, Exception failure) {
			return item + " later";
		}

	}

}
