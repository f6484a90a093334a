package dev.backoff.durable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Processes that are killed at any moment lose no call that they acknowledged. More kills
 * with the profile {@code kills}, which prints what it has seen.
 */
@Tag("long")
@Tag("ci")
@Execution(ExecutionMode.CONCURRENT)
class KillHarnessTests {

	private static final int KILLS = Integer.getInteger("kills", 5);

	private static final int CONCURRENCY = 4;

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	@TempDir
	Path directory;

	private final Random random = new Random(1);

	private final List<Process> processes = new ArrayList<>();

	/* Of its own, since the system gives a process id again after some 30,000. */
	private final Map<Process, Integer> names = new HashMap<>();

	@Test
	void twoProcessesOnPostgresLoseNoCall() throws Exception {
		String url = PostgresServer.newDatabase();
		AuditTrail.install(url);
		killAgainAndAgain(2, KILLS, List.of("--kill.url=" + url, "--backoff.durable.initialize-schema=never"));
		System.out.println("Changes of rows, all as the model has them: " + AuditTrail.check(url));
	}

	@Test
	void oneProcessOnTheOwnFileLosesNoCall() throws Exception {
		killAgainAndAgain(1, Math.max(1, KILLS / 3),
				List.of("--backoff.durable.file=" + this.directory.resolve("calls")));
	}

	private static List<String> onPostgres() throws Exception {
		return List.of("--kill.url=" + PostgresServer.newDatabase(), "--backoff.durable.initialize-schema=always");
	}

	private void killAgainAndAgain(int workers, int kills, List<String> database) throws Exception {
		try {
			for (int worker = 0; worker < workers; worker++) {
				start(database, Map.of());
			}
			for (int kill = 0; kill < kills; kill++) {
				Process victim = this.processes.get(this.random.nextInt(workers));
				Awaitility.await().atMost(PATIENCE).until(() -> hasBegun(victim));
				Thread.sleep(this.random.nextInt(700));
				victim.destroyForcibly().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
				this.processes.remove(victim);
				start(database, Map.of());
			}
			drain();
			long again = check(kills);
			assertThat(again).as("calls whose effect was repeated").isLessThanOrEqualTo((long) kills * CONCURRENCY);
		}
		finally {
			this.processes.forEach(Process::destroyForcibly);
		}
	}

	@Test
	void aProcessWhoseClockStepsByAnHourLosesNoCall() throws Exception {
		assumeTrue(KILLS > 5, "Run it with -Pkills: it takes a minute");
		Path library = fakeTime();
		assumeTrue(library != null, "Install libfaketime, on Debian the package faketime, to test clocks that step");
		Path clock = Files.writeString(this.directory.resolve("clock"), "+0");
		try {
			List<String> database = onPostgres();
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
			check(1);
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

	/** Check that no call is lost; return how many were made more than once. */
	private long check(int kills) throws IOException {
		Set<String> acknowledged = new HashSet<>(lines("acknowledged"));
		Set<String> ended = new HashSet<>(lines("dead"));
		Map<String, Integer> done = new HashMap<>();
		lines("done").forEach((line) -> done.merge(line.substring(0, line.indexOf(' ')), 1, Integer::sum));
		ended.addAll(done.keySet());
		assertThat(acknowledged).hasSizeGreaterThan(kills);
		Set<String> lost = new HashSet<>(acknowledged);
		lost.removeAll(ended);
		assertThat(lost).as("calls that were acknowledged and are lost").isEmpty();
		Set<String> attempts = new HashSet<>();
		lines("began").forEach((line) -> {
			String key = line.substring(0, line.indexOf(' '));
			String fence = line.substring(line.lastIndexOf(' '));
			assertThat(attempts.add(key + fence)).as("one attempt of each fence: %s", line).isTrue();
		});
		long again = done.values().stream().filter((times) -> times > 1).count();
		System.out.printf("%d kills: %d calls acknowledged, %d done, %d of them more than once, %d dead, 0 lost%n",
				kills, acknowledged.size(), done.size(), again, ended.size() - done.size());
		return again;
	}

	private List<String> lines(String kind) throws IOException {
		return JavaProcess.lines(this.directory, kind + "-");
	}

	private void start(List<String> database, Map<String, String> environment) throws IOException {
		List<String> arguments = new ArrayList<>(List.of("--backoff.durable.heartbeat=200ms",
				"--backoff.durable.poll-interval=200ms", "--logging.level.root=WARN", "--spring.main.banner-mode=off"));
		arguments.addAll(database);
		Process started = JavaProcess.start(KillWorker.class, this.directory.resolve("worker.log"), environment,
				List.of("-Dkill.directory=" + this.directory, "-Dkill.worker=" + this.names.size()), arguments);
		this.names.put(started, this.names.size());
		this.processes.add(started);
	}

}
