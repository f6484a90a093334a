package dev.backoff.benchmarks.moving;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.web.client.HttpClientErrorException;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

/** An application that uses Framework's own retries, before and after. */
final class FromFramework {

	private FromFramework() {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods(proxyTargetClass = true)
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
		@Retryable(maxRetries = 3, delay = 100, jitter = 50, multiplier = 2, maxDelay = 400, timeout = 5000,
				excludes = HttpClientErrorException.class)
		public String reserve(String item) {
			return this.warehouse.reserve(item);
		}

	}

	static class ReservationsAfter implements Reservations {

		private final Warehouse warehouse;

		ReservationsAfter(Warehouse warehouse) {
			this.warehouse = warehouse;
		}

		@Override
		@Backoff("reservations")
		public String reserve(String item) {
			return this.warehouse.reserve(item);
		}

	}

}
