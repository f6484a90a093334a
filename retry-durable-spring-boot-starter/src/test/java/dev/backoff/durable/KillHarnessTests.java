package dev.backoff.durable;

import java.io.File;
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

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes that are killed at any moment lose no call that they acknowledged. More kills
 * with the profile {@code kills}.
 */
class KillHarnessTests {

	private static final int KILLS = Integer.getInteger("kills", 10);

	private static final int CONCURRENCY = 4;

	@TempDir
	Path directory;

	private final Random random = new Random(1);

	private final List<Process> processes = new ArrayList<>();

	@Test
	void twoProcessesOnPostgresLoseNoCall() throws Exception {
		try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().setServerConfig("fsync", "on").start()) {
			killAgainAndAgain(2, KILLS, List.of("--kill.url=" + postgres.getJdbcUrl("postgres", "postgres"),
					"--backoff.durable.initialize-schema=always"));
		}
	}

	@Test
	void oneProcessOnTheOwnFileLosesNoCall() throws Exception {
		killAgainAndAgain(1, Math.max(1, KILLS / 3),
				List.of("--backoff.durable.file=" + this.directory.resolve("calls")));
	}

	private void killAgainAndAgain(int workers, int kills, List<String> database) throws Exception {
		try {
			for (int worker = 0; worker < workers; worker++) {
				start(database);
			}
			for (int kill = 0; kill < kills; kill++) {
				Process victim = this.processes.get(this.random.nextInt(workers));
				Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> hasBegun(victim));
				Thread.sleep(this.random.nextInt(700));
				victim.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
				this.processes.remove(victim);
				start(database);
			}
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> this.processes.stream().allMatch(this::hasBegun));
			Files.createFile(this.directory.resolve("drain"));
			Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> lines("idle").size() == workers);
			check(kills);
		}
		finally {
			this.processes.forEach(Process::destroyForcibly);
		}
	}

	private boolean hasBegun(Process process) {
		assertThat(process.isAlive()).as("the worker runs").isTrue();
		return Files.exists(this.directory.resolve("acknowledged-" + process.pid()));
	}

	private void check(int kills) throws IOException {
		Set<String> acknowledged = new HashSet<>(lines("acknowledged"));
		Set<String> ended = new HashSet<>(lines("dead"));
		Map<String, Integer> done = new HashMap<>();
		lines("done").forEach((line) -> done.merge(line.substring(0, line.indexOf(' ')), 1, Integer::sum));
		ended.addAll(done.keySet());
		assertThat(acknowledged).hasSizeGreaterThan(kills);
		assertThat(ended).as("calls that were acknowledged and are not lost").containsAll(acknowledged);
		long again = done.values().stream().filter((times) -> times > 1).count();
		assertThat(again).as("calls whose effect was repeated").isLessThanOrEqualTo((long) kills * CONCURRENCY);
		Set<String> attempts = new HashSet<>();
		lines("began").forEach((line) -> {
			String key = line.substring(0, line.indexOf(' '));
			String fence = line.substring(line.lastIndexOf(' '));
			assertThat(attempts.add(key + fence)).as("one attempt of each fence: %s", line).isTrue();
		});
	}

	private List<String> lines(String kind) throws IOException {
		List<String> lines = new ArrayList<>();
		try (Stream<Path> files = Files.list(this.directory)) {
			for (Path file : files.filter((path) -> path.getFileName().toString().startsWith(kind + "-")).toList()) {
				lines.addAll(Files.readAllLines(file));
			}
		}
		return lines;
	}

	private void start(List<String> database) throws IOException {
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
				"-XX:+UseSerialGC", "-Xmx200m", "-Dkill.directory=" + this.directory, "-cp",
				System.getProperty("java.class.path"), KillWorker.class.getName(), "--backoff.durable.heartbeat=200ms",
				"--backoff.durable.poll-interval=200ms", "--logging.level.root=WARN", "--spring.main.banner-mode=off"));
		command.addAll(database);
		File log = this.directory.resolve("worker.log").toFile();
		this.processes.add(new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(log))
			.start());
	}

}
