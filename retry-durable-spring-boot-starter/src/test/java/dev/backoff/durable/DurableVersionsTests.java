package dev.backoff.durable;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** A call is made by a process whose version of the method it fits. */
@Execution(ExecutionMode.SAME_THREAD) // a web application that starts drops what is
										// logged beside it
@Tag("ci")
class DurableVersionsTests {

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	@TempDir
	Path directory;

	@Test
	void callsOfAnotherVersionWaitAndAreCounted() {
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		Logger logger = (Logger) LoggerFactory.getLogger("dev.backoff");
		log.start();
		logger.addAppender(log);
		ApplicationContextRunner runner = runner()
			.withPropertyValues("backoff.durable.file=" + this.directory.resolve("calls"));
		runner.withBean(AfterCalls.class).withPropertyValues("backoff.durable.work=false").run((context) -> {
			context.getBean(AfterCalls.class).transfer("a1", BigDecimal.ONE);
			context.getBean(AfterCalls.class).transfer("a2", BigDecimal.ONE);
		});
		runner.withBean(BeforeCalls.class).run((context) -> {
			SimpleMeterRegistry registry = new SimpleMeterRegistry();
			context.getBean(DurableMeterBinder.class).bindTo(registry);
			Awaitility.await()
				.atMost(PATIENCE)
				.until(() -> registry.get("backoff.durable.unreadable")
					.tag("policy", "transfers")
					.gauge()
					.value() == 2);
			assertThat(registry.get("backoff.durable.unreadable").tag("policy", "orders").gauge().value()).isZero();
			Map<?, ?> shown = (Map<?, ?>) context.getBean(DurablePart.class)
				.read(context.getBean(DurableParts.class).methods().all().get(1).atStart(),
						Map.of("state", "scheduled"));
			assertThat(((Map<?, ?>) shown.get("counts")).get("unreadable")).isEqualTo(2);
			logger.detachAppender(log);
			// other tests log at the same time, on other threads
			assertThat(log.list.stream()
				.filter((event) -> event.getLevel() == Level.WARN
						&& event.getThreadName().startsWith("backoff-transfers")))
				.singleElement()
				.satisfies((event) -> {
					assertThat(event.getFormattedMessage())
						.startsWith("Stored calls of policy transfers that this process cannot read: ")
						.contains(". They wait for a process that can, or for an operator (row a")
						.endsWith(": its arguments do not fit BeforeCalls.transfer(String))");
					assertThat(event.getThrowableProxy()).isNull();
				});
		});
	}

	@Test
	@Tag("long")
	void twoVersionsAtOnceMakeEachCallByOneThatItFits() throws Exception {
		String url = PostgresServer.newDatabase();
		run(url, new BeforeCalls(), (before) -> run(url, new AfterCalls(), (after) -> {
			for (String number : List.of("1", "2", "3", "4", "5")) {
				before.getBean(BeforeCalls.class).transfer("b" + number);
				before.getBean(BeforeCalls.class).order(new BeforeOrder("b" + number));
				after.getBean(AfterCalls.class).transfer("a" + number, BigDecimal.ONE);
				after.getBean(AfterCalls.class).order(new AfterOrder("a" + number, BigDecimal.ONE));
			}
			Awaitility.await()
				.atMost(PATIENCE)
				.until(() -> after.getBean(DurableParts.class).store().client.getScheduledExecutionsSummaryByTask()
					.isEmpty());
			List<String> made = new ArrayList<>(before.getBean(BeforeCalls.class).made());
			assertThat(made).filteredOn((call) -> call.startsWith("transfer"))
				.containsExactlyInAnyOrder("transfer b1", "transfer b2", "transfer b3", "transfer b4", "transfer b5");
			made.addAll(after.getBean(AfterCalls.class).made());
			assertThat(made).filteredOn((call) -> call.startsWith("transfer a"))
				.containsExactlyInAnyOrder("transfer a1 1", "transfer a2 1", "transfer a3 1", "transfer a4 1",
						"transfer a5 1");
			assertThat(made).filteredOn((call) -> call.startsWith("order b"))
				.allMatch((call) -> call.matches("order b[1-5] null"))
				.hasSize(5);
			assertThat(made).filteredOn((call) -> call.startsWith("order a"))
				.allMatch((call) -> call.matches("order a[1-5] 1"))
				.hasSize(5);
		}));
	}

	private static <T> void run(String url, T calls, Consumer<ApplicationContext> test) {
		@SuppressWarnings("unchecked")
		Class<T> type = (Class<T>) calls.getClass();
		runner().withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=" + url, "backoff.durable.initialize-schema=always",
					"backoff.durable.poll-interval=100ms")
			.withBean(type, () -> calls)
			.run(test::accept);
	}

	private static ApplicationContextRunner runner() {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class,
				BackoffAutoConfiguration.class, DurableAutoConfiguration.class));
	}

	record BeforeOrder(String id) {
	}

	/** The methods before the deploy. */
	static class BeforeCalls {

		private final List<String> made = new CopyOnWriteArrayList<>();

		@Backoff(value = "transfers", durable = "true", key = "#account", ladder = "50ms")
		public void transfer(String account) {
			this.made.add("transfer " + account);
		}

		@Backoff(value = "orders", durable = "true", ladder = "50ms")
		public void order(BeforeOrder order) {
			this.made.add("order " + order.id() + " null");
		}

		public List<String> made() {
			return this.made;
		}

	}

	record AfterOrder(String id, BigDecimal amount) {
	}

	/** The methods after it: one more parameter, and one more property. */
	static class AfterCalls {

		private final List<String> made = new CopyOnWriteArrayList<>();

		@Backoff(value = "transfers", durable = "true", key = "#account", ladder = "50ms")
		public void transfer(String account, BigDecimal amount) {
			this.made.add("transfer " + account + " " + amount);
		}

		@Backoff(value = "orders", durable = "true", ladder = "50ms")
		public void order(AfterOrder order) {
			this.made.add("order " + order.id() + " " + order.amount());
		}

		public List<String> made() {
			return this.made;
		}

	}

}
