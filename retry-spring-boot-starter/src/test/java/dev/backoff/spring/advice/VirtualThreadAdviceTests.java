package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.SmallApplication;

import static org.assertj.core.api.Assertions.assertThat;

class VirtualThreadAdviceTests {

	private static final String VIRTUAL = "spring.threads.virtual.enabled: true\n";

	private static final String TIMEOUT = "backoff.policies.orders.attempt-timeout: 1s\n";

	private static final String ADVICE = "attempt-timeout interrupts, which closes sockets and JDBC connections on "
			+ "virtual threads: set shorter timeouts in the client or the pool";

	@Test
	void isGivenWhereAnInterruptClosesConnectionsOfAPool() {
		assertThat(advice(VIRTUAL + TIMEOUT, Orders.class, Pool.class)).containsExactly(ADVICE);
		assertThat(SmallApplication.of(Orders.class, Pool.class).yaml(VIRTUAL + TIMEOUT).startupLog())
			.containsExactly("INFO @Backoff on Orders.place(), policy orders: " + ADVICE);
	}

	@Test
	void isNotGivenOnPlatformThreads() {
		assertThat(advice(TIMEOUT, Orders.class, Pool.class)).isEmpty();
	}

	@Test
	void isNotGivenWithoutAnAttemptTimeout() {
		assertThat(advice(VIRTUAL + "backoff.policies.orders.base: 1s", Orders.class, Pool.class)).isEmpty();
	}

	@Test
	void isNotGivenWithoutAPool() {
		assertThat(advice(VIRTUAL + TIMEOUT, Orders.class)).isEmpty();
	}

	@Test
	void isNotGivenWhereAttemptsAreCancelledInstead() {
		assertThat(advice(VIRTUAL + TIMEOUT, LaterOrders.class, Pool.class)).isEmpty();
	}

	private static List<String> advice(String yaml, Class<?>... beans) {
		List<String> advice = new ArrayList<>();
		SmallApplication.of(beans)
			.yaml(yaml)
			.run((context) -> context.getBean(BackoffMethods.class)
				.uses()
				.forEach((use) -> advice.addAll(use.advice())));
		return advice;
	}

	public static class Orders {

		@Backoff("orders")
		public void place() {
		}

	}

	public static class LaterOrders {

		@Backoff("orders")
		public CompletableFuture<String> place() {
			return CompletableFuture.completedFuture("placed");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Pool {

		@Bean
		DataSource orderData() {
			return new DriverManagerDataSource();
		}

	}

}
