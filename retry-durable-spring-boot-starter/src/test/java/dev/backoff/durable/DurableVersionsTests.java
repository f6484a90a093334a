package dev.backoff.durable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

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
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

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
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
					DurableAutoConfiguration.class))
			.withPropertyValues("backoff.durable.file=" + this.directory.resolve("calls"));
		runner.withBean(VersionWorker.AfterCalls.class)
			.withPropertyValues("backoff.durable.work=false")
			.run((context) -> {
				context.getBean(VersionWorker.AfterCalls.class).transfer("a1", java.math.BigDecimal.ONE);
				context.getBean(VersionWorker.AfterCalls.class).transfer("a2", java.math.BigDecimal.ONE);
			});
		runner.withBean(VersionWorker.BeforeCalls.class).run((context) -> {
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
	void twoProcessesWithTwoVersionsMakeEachCallByOneThatItFits() throws Exception {
		List<Process> processes = new ArrayList<>();
		String url = PostgresServer.newDatabase();
		try {
			Process before = start(VersionWorker.Before.class, url);
			processes.add(before);
			awaitLines("submitted", 1, before);
			Process after = start(VersionWorker.After.class, url);
			processes.add(after);
			awaitLines("submitted", 2, before, after);
			awaitLines("transfers", 2 * VersionWorker.CALLS, before, after);
			awaitLines("orders", 2 * VersionWorker.CALLS, before, after);
			assertThat(lines("transfers-Before")).containsExactlyInAnyOrderElementsOf(numbered("before-%d"));
			assertThat(lines("transfers-After")).containsExactlyInAnyOrderElementsOf(numbered("after-%d 1.10"));
			List<String> orders = new ArrayList<>(numbered("before-%d without an amount"));
			orders.addAll(numbered("after-%d 1.10"));
			assertThat(lines("orders")).containsExactlyInAnyOrderElementsOf(orders);
			Files.createFile(this.directory.resolve("end-Before"));
			Files.createFile(this.directory.resolve("end-After"));
			for (Process process : processes) {
				assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
			}
			try (var connection = DriverManager.getConnection(url);
					var statement = connection.createStatement();
					var rows = statement.executeQuery("select count(*) from backoff_calls")) {
				assertThat(rows.next()).isTrue();
				assertThat(rows.getInt(1)).as("dead letters").isZero();
			}
			assertThat(Files.readString(this.directory.resolve("worker.log"))).doesNotContain("\tat ");
		}
		finally {
			processes.forEach(Process::destroyForcibly);
		}
	}

	private static List<String> numbered(String format) {
		return IntStream.range(0, VersionWorker.CALLS).mapToObj(format::formatted).toList();
	}

	private void awaitLines(String kind, int number, Process... processes) {
		Awaitility.await().atMost(PATIENCE).until(() -> {
			assertThat(processes).allMatch(Process::isAlive, "runs");
			return lines(kind).size() >= number;
		});
	}

	private List<String> lines(String kind) throws IOException {
		return JavaProcess.lines(this.directory, kind);
	}

	private Process start(Class<?> version, String url) throws IOException {
		return JavaProcess.start(version, this.directory.resolve("worker.log"), Map.of(),
				List.of("-Dkill.directory=" + this.directory, "-Dkill.worker=" + version.getSimpleName()),
				List.of("--kill.url=" + url, "--backoff.durable.initialize-schema=always",
						"--backoff.durable.poll-interval=100ms", "--spring.main.banner-mode=off"));
	}

}
