package dev.backoff.spring.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.web.client.RestClient;

import dev.backoff.annotation.Backoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.linesOf;

/**
 * A caller with a deadline, and a service in another process whose wait fits only into
 * its own. So the service stops at once, and nothing waits.
 */
class TwoProcessesTests {

	private static final Duration DEADLINE = Duration.ofMinutes(1);

	@TempDir
	private Path directory;

	private Process downstream;

	private Path output;

	@BeforeEach
	void start() throws IOException {
		this.output = this.directory.resolve("output.txt");
		String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		this.downstream = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classPath, Downstream.class.getName(),
				"--server.port=0", "--spring.main.banner-mode=off", "--backoff.http.inbound=true",
				"--backoff.defaults.budget=none", "--logging.pattern.console=[attempt %X{backoff.attempt}] %p %m%n")
			.directory(this.directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(this.output.toFile())
			.start();
	}

	@AfterEach
	void stop() throws InterruptedException {
		this.downstream.destroyForcibly().waitFor(60, TimeUnit.SECONDS);
	}

	@Test
	void theServiceStopsInTheTimeThatTheCallerHasLeft() {
		int port = port();
		HttpClients.runner()
			.withBean(Caller.class)
			.withPropertyValues("backoff.http.hosts=localhost:" + port,
					"backoff.policies.[Caller.call].deadline=" + DEADLINE.toMillis() + "ms")
			.run((context) -> {
				Caller caller = context.getBean(Caller.class);
				// what only first requests take is not at the expense of the deadline
				assertThat(caller.get("http://localhost:" + port + "/ready")).isEqualTo("ready");
				String[] answer = caller.call("http://localhost:" + port + "/work").split(" ", -1);
				assertThat(answer[0]).isEqualTo("DEADLINE");
				assertThat(Long.parseLong(answer[1])).isLessThan(DEADLINE.toMillis());
			});
		assertThat(lines()).contains("[attempt 1] INFO working", "[attempt 2] INFO working");
		assertThat(lines()).anyMatch((line) -> line.startsWith("[attempt 2] WARN Stopped after ")
				&& line.contains("DEADLINE") && line.contains("Storage.read"));
	}

	private int port() {
		Pattern said = Pattern.compile(Downstream.PORT + "\\d+");
		Awaitility.await()
			.atMost(Duration.ofMinutes(2))
			.pollInterval(Duration.ofMillis(100))
			.until(() -> !this.downstream.isAlive() || lines().stream().anyMatch(said.asMatchPredicate()));
		return lines().stream()
			.filter(said.asMatchPredicate())
			.map((line) -> Integer.parseInt(line.substring(Downstream.PORT.length())))
			.findFirst()
			.orElseThrow(() -> new AssertionError(String.join(System.lineSeparator(), lines())));
	}

	private List<String> lines() {
		return linesOf(this.output.toFile(), StandardCharsets.UTF_8);
	}

	public static class Caller {

		private final RestClient client;

		public Caller(RestClient.Builder builder) {
			this.client = builder.build();
		}

		@Backoff(base = "10ms")
		public String call(String url) {
			return get(url);
		}

		String get(String url) {
			return this.client.get().uri(url).retrieve().body(String.class);
		}

	}

}
