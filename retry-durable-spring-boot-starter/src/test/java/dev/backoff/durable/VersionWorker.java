package dev.backoff.durable;

import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

/**
 * A process with one of two versions of the same durable methods. It submits some calls
 * and makes attempts until it is told to end; it appends to files what it did.
 */
final class VersionWorker {

	static final int CALLS = 10;

	private static final Path DIRECTORY = Path.of(System.getProperty("kill.directory", "."));

	/** What both versions have. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class,
			DurableAutoConfiguration.class })
	static class Shared {

		@Bean
		DataSource dataSource(@Value("${kill.url}") String url) {
			HikariDataSource dataSource = new HikariDataSource();
			dataSource.setJdbcUrl(url);
			return dataSource;
		}

	}

	/** Tells what is called. */
	interface Calls {

		void submit(int number);

	}

	/** The methods before the deploy. */
	@Configuration(proxyBeanMethods = false)
	@Import(Shared.class)
	static class Before {

		@Bean
		BeforeCalls calls() {
			return new BeforeCalls();
		}

		@Bean
		Calls submitted(BeforeCalls calls) {
			return (number) -> {
				calls.transfer("before-" + number);
				calls.order(new BeforeOrder("before-" + number));
			};
		}

		public static void main(String[] arguments) throws Exception {
			work(Before.class, arguments);
		}

	}

	record BeforeOrder(String id) {
	}

	static class BeforeCalls {

		@Backoff(value = "transfers", durable = "true", key = "#account", ladder = "50ms")
		public void transfer(String account) {
			KillWorker.append("transfers", account);
		}

		@Backoff(value = "orders", durable = "true", ladder = "50ms")
		public void order(BeforeOrder order) {
			KillWorker.append("orders", order.id() + " without an amount");
		}

	}

	/** The methods after it: one more parameter, and one more property. */
	@Configuration(proxyBeanMethods = false)
	@Import(Shared.class)
	static class After {

		@Bean
		AfterCalls calls() {
			return new AfterCalls();
		}

		@Bean
		Calls submitted(AfterCalls calls) {
			return (number) -> {
				calls.transfer("after-" + number, new BigDecimal("1.10"));
				calls.order(new AfterOrder("after-" + number, new BigDecimal("1.10")));
			};
		}

		public static void main(String[] arguments) throws Exception {
			work(After.class, arguments);
		}

	}

	record AfterOrder(String id, BigDecimal amount) {
	}

	static class AfterCalls {

		@Backoff(value = "transfers", durable = "true", key = "#account", ladder = "50ms")
		public void transfer(String account, BigDecimal amount) {
			KillWorker.append("transfers", account + " " + amount);
		}

		@Backoff(value = "orders", durable = "true", ladder = "50ms")
		public void order(AfterOrder order) {
			KillWorker.append("orders",
					order.id() + ((order.amount() != null) ? " " + order.amount() : " without an amount"));
		}

	}

	private static void work(Class<?> version, String[] arguments) throws Exception {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(version).web(WebApplicationType.NONE)
			.run(arguments)) {
			Calls calls = context.getBean(Calls.class);
			for (int number = 0; number < CALLS; number++) {
				calls.submit(number);
			}
			KillWorker.append("submitted", version.getSimpleName());
			while (!Files.exists(DIRECTORY.resolve("end-" + version.getSimpleName()))) {
				Thread.sleep(50);
			}
		}
	}

}
