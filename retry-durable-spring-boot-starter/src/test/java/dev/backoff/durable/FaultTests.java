package dev.backoff.durable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.ScheduledExecution;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.util.StringUtils;

import dev.backoff.durable.DurableState.Phase;

import static org.assertj.core.api.Assertions.assertThat;

/** What comes of calls when a process dies or stalls, or the database is away. */
@Tag("long")
class FaultTests {

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	private static String url;

	@TempDir
	private Path directory;

	private Process process;

	@BeforeAll
	static void makeDatabase() throws Exception {
		// the connections that break here are of no concern to the classes that run
		// beside
		Awaitility.doNotCatchUncaughtExceptionsByDefault();
		url = PostgresServer.newDatabase();
	}

	@BeforeEach
	void dropTable() {
		new JdbcTemplate(new DriverManagerDataSource(url)).execute("drop table if exists backoff_calls");
	}

	@AfterEach
	void endProcess() throws Exception {
		if (this.process != null) {
			this.process.destroyForcibly().waitFor();
		}
	}

	@Test
	@DisabledOnOs(value = OS.WINDOWS, disabledReason = "processes are stopped by signals of Unix")
	@Tag("ci")
	void aProcessThatStallsAndComesBackLeavesTheNextCallOfItsKeyAlone() throws Exception {
		run((submitter) -> {
			submitter.work().make("k1", false);
			startProcess("stall");
			await().until(() -> journal().size() == 1);
			signal("STOP");
			run((survivor) -> {
				await().until(() -> submitter.find("work", "k1") == null);
				assertThat(attemptsOf("k1")).as("attempts of the same call").hasSize(2).containsOnly(journal().get(0));
				DurableCall<?> next = submitter.running()
					.calls()
					.submit(DurableCalls.Options.notBefore(Instant.now().plusSeconds(600)), submitter::makeFirst);
				assertThat(next.isNew()).isTrue();
				Files.createFile(this.directory.resolve("go"));
				signal("CONT");
				await().until(() -> log().contains("Stored nothing more about an attempt of call"));
				assertThat(submitter.find("work", "k1").id()).isEqualTo(next.id());
				assertThat(submitter.find("work", "k1").state()).isEqualTo(Phase.SCHEDULED);
			});
		}, "backoff.durable.work=false");
	}

	@Test
	void aProcessThatDiesAfterTheEffectRepeatsItUnderTheSameKey() throws Exception {
		run((submitter) -> submitter.work().make("k1", false), "backoff.durable.work=false");
		startProcess("effect");
		awaitDeath();
		run((survivor) -> {
			await().until(() -> survivor.find("work", "k1") == null);
			assertThat(attemptsOf("k1")).hasSize(2).containsOnly(journal().get(0));
			assertThat(survivor.rows()).isZero();
		});
	}

	@Test
	@Tag("ci")
	void aProcessThatDiesInTheRecoveryRepeatsTheLastAttemptAndTheRecovery() throws Exception {
		run((submitter) -> submitter.work().make("k1", true), "backoff.durable.work=false");
		startProcess("recovery");
		awaitDeath();
		run((survivor) -> {
			await().until(() -> survivor.find("work", "k1") == null);
			assertThat(attemptsOf("k1")).as("two attempts, and the last one again").hasSize(3);
			assertThat(journal()).filteredOn("recovery k1"::equals).hasSize(2);
			assertThat(survivor.rows()).as("no dead letter").isZero();
		});
	}

	@Test
	@Tag("ci")
	void aProcessThatDiesBetweenTheDeadLetterOfASlotAndTheNextSlotLeavesOneLetter() throws Exception {
		startProcess("letter", "fault.schedule=every 50ms");
		awaitDeath();
		run((survivor) -> {
			String id = journal().get(0);
			await().until(() -> journal().size() == 2);
			assertThat(journal()).as("the slot is repeated").containsOnly(id);
			await().until(() -> survivor.find("slots", "schedule").due().isAfter(Instant.now().plusSeconds(60)));
			assertThat(survivor.letters("slots/dead")).containsExactly(id.substring("slot ".length()));
		}, "fault.schedule=every 1h");
	}

	@Test
	@DisabledOnOs(value = OS.WINDOWS, disabledReason = "processes are stopped by signals of Unix")
	@Tag("ci")
	void anAttemptThatASignalInterruptsInTheOwnFileIsDueAtOnce() throws Exception {
		String[] own = { "backoff.durable.store=own", "backoff.durable.file=" + this.directory.resolve("calls"),
				"backoff.durable.heartbeat=1m", "backoff.durable.shutdown-wait=2s" };
		run((submitter) -> submitter.work().make("k1", false),
				StringUtils.addStringToArray(own, "backoff.durable.work=false"));
		startProcess("stall", own);
		await().until(() -> journal().size() == 1);
		signal("TERM");
		awaitDeath();
		// long before a loss is noticed
		run((survivor) -> await().until(() -> survivor.find("work", "k1") == null), own);
		assertThat(attemptsOf("k1")).hasSize(2);
	}

	@Test
	void aPoolWithoutConnectionsRefusesSubmissionsAndLosesNoCall() throws Exception {
		run((application) -> {
			application.work().make("k1", true);
			List<Connection> taken = application.takeConnections(3);
			assertThat(application.refuses("k2")).as("a submission without a connection").isTrue();
			await().until(() -> application.pollsFailed() > 0);
			for (Connection connection : taken) {
				connection.close();
			}
			application.work().make("k3", false);
			await().until(() -> application.rows() == 0);
			assertThat(journal()).anyMatch((line) -> line.startsWith("recovery k1"))
				.anyMatch((line) -> line.startsWith("attempt k3"))
				.noneMatch((line) -> line.contains("k2"));
		}, "spring.datasource.hikari.maximum-pool-size=3", "spring.datasource.hikari.connection-timeout=5000");
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(PATIENCE);
	}

	private List<String> journal() {
		return FaultWorker.journal(this.directory);
	}

	private List<String> attemptsOf(String key) {
		return journal().stream().filter((line) -> line.startsWith("attempt " + key + " ")).toList();
	}

	private List<String> properties(String... more) {
		Map<String, String> properties = new LinkedHashMap<>(Map.of("spring.datasource.url", url,
				"backoff.durable.initialize-schema", "always", "backoff.durable.heartbeat", "250ms",
				"backoff.durable.poll-interval", "100ms", "fault.directory", this.directory.toString()));
		for (String property : more) {
			String[] parts = property.split("=", 2);
			properties.put(parts[0], parts[1]);
		}
		return properties.entrySet().stream().map((property) -> property.getKey() + "=" + property.getValue()).toList();
	}

	/** Run the methods in this process. */
	private void run(Scenario test, String... more) {
		new ApplicationContextRunner().withUserConfiguration(FaultWorker.class)
			.withPropertyValues(properties(more).toArray(String[]::new))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				test.run(new Application(new RunningShop(context)));
			});
	}

	/** Run them in another one, which dies or stalls. */
	private void startProcess(String place, String... more) throws IOException {
		List<String> arguments = new ArrayList<>(List.of("--fault.place=" + place));
		properties(more).forEach((property) -> arguments.add("--" + property));
		this.process = JavaProcess.start(FaultWorker.class, this.directory.resolve("process.log"), Map.of(), List.of(),
				arguments);
	}

	private void signal(String name) throws Exception {
		assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(this.process.pid())).start().waitFor())
			.isZero();
	}

	private void awaitDeath() throws Exception {
		assertThat(this.process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as(log()).isTrue();
	}

	private String log() throws IOException {
		return Files.readString(this.directory.resolve("process.log"));
	}

	/** A test that may throw. */
	@FunctionalInterface
	private interface Scenario {

		void run(Application application) throws Exception;

	}

	/** The durable methods in this process. */
	private record Application(RunningShop running) {

		FaultWorker.Work work() {
			return this.running.context().getBean(FaultWorker.Work.class);
		}

		void makeFirst() {
			try {
				work().make("k1", false);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		/** Return a call, or null. */
		DurableState find(String policy, String key) {
			return this.running.calls().find(policy, key).orElse(null);
		}

		List<String> letters(String task) {
			return this.running.parts().store().client.getScheduledExecutionsForTask(task, StoredCall.class)
				.stream()
				.map(ScheduledExecution::getData)
				.map(StoredCall::id)
				.toList();
		}

		/** Return the number of rows, that of the schedule left out. */
		int rows() {
			return this.running.parts().store().client.getScheduledExecutionsSummaryByTask()
				.stream()
				.filter((task) -> !task.taskName().equals("slots"))
				.mapToInt((task) -> task.instanceCount())
				.sum();
		}

		boolean refuses(String key) throws InterruptedException {
			try {
				work().make(key, false);
				return false;
			}
			catch (RuntimeException ex) {
				return true;
			}
		}

		List<Connection> takeConnections(int number) throws SQLException {
			List<Connection> taken = new ArrayList<>();
			while (taken.size() < number) {
				taken.add(this.running.context().getBean(DataSource.class).getConnection());
			}
			return taken;
		}

		double pollsFailed() {
			SimpleMeterRegistry registry = new SimpleMeterRegistry();
			this.running.context().getBean(DurableMeterBinder.class).bindTo(registry);
			return registry.get("backoff.durable.polls.failed").tag("policy", "work").functionCounter().count();
		}

	}

}
