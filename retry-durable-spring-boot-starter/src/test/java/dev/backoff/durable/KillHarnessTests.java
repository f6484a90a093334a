package dev.backoff.durable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.backoff.fixture.SocketServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Processes that are killed, stopped or ended at any moment, on databases that are killed
 * too, lose no call that they acknowledged. {@code ops/kill-durable} makes more faults.
 */
@Tag("long")
@Tag("ci")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 2, unit = TimeUnit.HOURS) // a thousand faults take half an hour
class KillHarnessTests {

	private static final int KILLS = Integer.getInteger("kills", 18);

	/* The only database, or all, with most faults on the first. */
	private static final String DATABASE = System.getProperty("kill.database", "");

	private static final int CONCURRENCY = 4;

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	/* Longer than four heartbeats. */
	private static final long STOPPED_MILLIS = 1_500;

	@TempDir
	Path directory;

	private final Random random = new Random(Long.getLong("kill.seed", 1));

	private final List<Process> processes = new ArrayList<>();

	/* Of its own, since the system gives a process id again after some 30,000. */
	private final Map<Process, Integer> names = new HashMap<>();

	private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);

	/** What happens to a process, or to the database below all of them. */
	enum Fault {

		KILL, STOP, TERM, RESTART

	}

	/** Restarts a database at once, without its shutdown. */
	@FunctionalInterface
	private interface Restart {

		void run() throws Exception;

	}

	@Test
	void twoProcessesOnPostgresLoseNoCall() throws Exception {
		int kills = kills("postgresql", 1);
		Path data = this.directory.resolve("postgres");
		try (EmbeddedPostgres server = postgres(data, SocketServer.freePort())) {
			String url = server.getJdbcUrl("postgres", "postgres");
			AuditTrail.install(url);
			List<EmbeddedPostgres> servers = new ArrayList<>(List.of(server));
			try {
				killAgainAndAgain("PostgreSQL", 2, kills, onDatabase(url), () -> {
					long postmaster = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0));
					ProcessHandle process = ProcessHandle.of(postmaster).orElseThrow();
					signal("QUIT", process);
					process.onExit().get(1, TimeUnit.MINUTES);
					servers.get(servers.size() - 1).close();
					servers.add(postgres(data, server.getPort()));
				});
				System.out.println("Changes of rows, all as the model has them: " + AuditTrail.check(url));
			}
			finally {
				servers.get(servers.size() - 1).close();
			}
		}
	}

	private static EmbeddedPostgres postgres(Path data, int port) throws IOException {
		return EmbeddedPostgres.builder()
			.setDataDirectory(data)
			.setCleanDataDirectory(false)
			.setPort(port)
			.setPGStartupWait(Duration.ofMinutes(1))
			.setServerConfig("fsync", "on")
			.setServerConfig("synchronous_commit", "on")
			.setServerConfig("full_page_writes", "on")
			.start();
	}

	@Test
	@Tag("mariadb")
	void twoProcessesOnMariaDbLoseNoCall() throws Exception {
		int kills = kills("mariadb", 3);
		try (MariaDbServer server = new MariaDbServer(Files.createDirectory(this.directory.resolve("mariadb")))) {
			killAgainAndAgain("MariaDB", 2, kills, onDatabase(server.url()), server::restart);
		}
	}

	@Test
	void oneProcessOnTheOwnFileLosesNoCall() throws Exception {
		killAgainAndAgain("H2 file", 1, kills("h2", 3),
				List.of("--backoff.durable.file=" + this.directory.resolve("calls")), null);
	}

	private static int kills(String database, int part) {
		assumeTrue(DATABASE.isEmpty() || DATABASE.equals(database), "another database is named");
		return DATABASE.isEmpty() ? Math.max(1, KILLS / part) : KILLS;
	}

	private static List<String> onDatabase(String url) {
		return List.of("--kill.url=" + url, "--backoff.durable.initialize-schema=always");
	}

	private void killAgainAndAgain(String database, int workers, int kills, List<String> arguments,
			@Nullable Restart restart) throws Exception {
		try {
			for (int worker = 0; worker < workers; worker++) {
				start(arguments, Map.of());
			}
			for (int kill = 0; kill < kills; kill++) {
				Process victim = this.processes.get(this.random.nextInt(workers));
				Awaitility.await().atMost(PATIENCE).until(() -> hasBegun(victim));
				Thread.sleep(this.random.nextInt(700));
				// each second fault is a kill
				Fault fault = (kill % 2 == 0) ? Fault.KILL : Fault.values()[kill / 2 % ((restart != null) ? 3 : 2) + 1];
				this.faults.merge(fault, 1, Integer::sum);
				if (fault == Fault.RESTART) {
					// a process that starts without its database ends
					Awaitility.await().atMost(PATIENCE).until(() -> this.processes.stream().allMatch(this::hasBegun));
					restart.run();
				}
				else if (fault == Fault.STOP) {
					signal("STOP", victim.toHandle());
					Thread.sleep(STOPPED_MILLIS);
					signal("CONT", victim.toHandle());
				}
				else {
					if (fault == Fault.TERM) {
						victim.destroy();
						boolean unused = victim.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
					}
					victim.destroyForcibly().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
					this.processes.remove(victim);
					start(arguments, Map.of());
				}
			}
			drain();
			check(database, kills, (long) kills * CONCURRENCY * workers);
		}
		finally {
			this.processes.forEach(Process::destroyForcibly);
		}
	}

	private static void signal(String name, ProcessHandle process) throws Exception {
		assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor()).isZero();
	}

	@Test
	void aProcessWhoseClockStepsByAnHourLosesNoCall() throws Exception {
		assumeTrue(KILLS > 18 && DATABASE.isEmpty(), "ops/kill-durable runs it: it takes a minute");
		Path library = fakeTime();
		assumeTrue(library != null, "Install libfaketime, on Debian the package faketime, to test clocks that step");
		Path clock = Files.writeString(this.directory.resolve("clock"), "+0");
		try {
			List<String> database = onDatabase(PostgresServer.newDatabase());
			start(database, Map.of());
			Awaitility.await().atMost(PATIENCE).until(() -> hasBegun(this.processes.get(0)));
			start(database, Map.of("LD_PRELOAD", library.toString(), "FAKETIME_TIMESTAMP_FILE", clock.toString(),
					"FAKETIME_NO_CACHE", "1", "FAKETIME_DONT_FAKE_MONOTONIC", "1", "DONT_FAKE_MONOTONIC", "1"));
			Awaitility.await().atMost(PATIENCE).until(() -> hasBegun(this.processes.get(1)));
			// calls of the first hour ahead are due for this process only: it ends there
			for (String step : List.of("+3600", "-3600", "+0", "+3600")) {
				Thread.sleep(1_000);
				Files.writeString(clock, step);
			}
			drain();
			check("PostgreSQL, clock", 1, CONCURRENCY);
		}
		finally {
			this.processes.forEach(Process::destroyForcibly);
		}
	}

	/* Changes what a process reads as the time of day. */
	private static @Nullable Path fakeTime() throws IOException {
		Path libraries = Path.of("/usr/lib");
		if (!Files.isDirectory(libraries)) {
			return null;
		}
		try (Stream<Path> systems = Files.list(libraries)) {
			return systems.map((system) -> system.resolve("faketime/libfaketimeMT.so.1"))
				.filter(Files::exists)
				.findFirst()
				.orElse(null);
		}
	}

	/** Let all that is stored be made, and nothing new be stored. */
	private void drain() throws IOException {
		Awaitility.await().atMost(PATIENCE).until(() -> this.processes.stream().allMatch(this::hasBegun));
		Files.createFile(this.directory.resolve("drain"));
		Awaitility.await().atMost(PATIENCE).until(() -> lines("idle").size() == this.processes.size());
	}

	private boolean hasBegun(Process process) {
		assertThat(process.isAlive()).as("the worker runs").isTrue();
		return Files.exists(this.directory.resolve("acknowledged-" + this.names.get(process)));
	}

	/*
	 * Print the row of the table, and check it: what is stuck is shown as it is stored.
	 */
	private void check(String database, int kills, long mostRepeated) throws IOException {
		Set<String> acknowledged = first("acknowledged");
		Map<String, Integer> done = new HashMap<>();
		lines("done").forEach((line) -> done.merge(line.split(" ", -1)[0], 1, Integer::sum));
		List<String> letters = lines("dead");
		Set<String> dead = first("dead");
		Set<String> lost = new HashSet<>(acknowledged);
		lost.removeAll(done.keySet());
		lost.removeAll(dead);
		lost.removeAll(first("ending"));
		List<String> stuck = lines("stuck");
		int doubled = letters.size() - new HashSet<>(letters).size();
		long repeated = done.values().stream().filter((times) -> times > 1).count();
		System.out.printf("| %s | %s | %d | %d | %d | %d | %d | %d |%n", database,
				Stream.of(Fault.values())
					.map((fault) -> this.faults.getOrDefault(fault, 0) + " | ")
					.reduce("", String::concat)
					.replaceFirst(" \\| $", ""),
				acknowledged.size(), done.size(), repeated, lost.size(), stuck.size(), doubled);
		assertThat(acknowledged).hasSizeGreaterThan(kills);
		assertThat(stuck).as("calls that do not end").isEmpty();
		assertThat(lost).as("calls that were acknowledged and are lost").isEmpty();
		assertThat(doubled).as("rows that are there twice").isZero();
		Set<String> attempts = new HashSet<>();
		lines("began").forEach((line) -> {
			String[] words = line.split(" ", -1);
			assertThat(words[3]).as("the key of a submission that was not rolled back").doesNotStartWith("rolled");
			assertThat(attempts.add(words[0] + " " + words[2])).as("one attempt of each fence: %s", line).isTrue();
		});
		assertThat(repeated).as("calls whose effect was repeated").isLessThanOrEqualTo(mostRepeated);
	}

	private Set<String> first(String kind) throws IOException {
		return lines(kind).stream().map((line) -> line.split(" ", -1)[0]).collect(Collectors.toSet());
	}

	private List<String> lines(String kind) throws IOException {
		return JavaProcess.lines(this.directory, kind + "-");
	}

	private void start(List<String> database, Map<String, String> environment) throws IOException {
		List<String> arguments = new ArrayList<>(List.of("--backoff.durable.heartbeat=200ms",
				"--backoff.durable.poll-interval=200ms", "--backoff.breakers.jobs.open-for=1s",
				"--logging.level.root=WARN", "--spring.main.banner-mode=off"));
		arguments.addAll(database);
		Process started = JavaProcess.start(KillWorker.class, this.directory.resolve("worker.log"), environment,
				List.of("-Dkill.directory=" + this.directory, "-Dkill.worker=" + this.names.size()), arguments);
		this.names.put(started, this.names.size());
		this.processes.add(started);
	}

}
