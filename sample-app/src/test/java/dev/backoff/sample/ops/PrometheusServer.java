package dev.backoff.sample.ops;

import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;

import org.springframework.web.client.RestClient;

/** A Prometheus that watches one application, with short intervals. */
final class PrometheusServer {

	/** The message where Prometheus is missing. */
	static final String MISSING = "Prometheus is not installed: install it, on Debian the package prometheus, to test "
			+ "the alert rules and the dashboard";

	private static final Pattern MINUTES = Pattern.compile("\\[(\\d+)m]|(?<=for: |offset )(\\d+)m");

	private final Process process;

	private final RestClient http;

	private PrometheusServer(Process process, int port) {
		this.process = process;
		this.http = RestClient.builder().baseUrl("http://127.0.0.1:" + port).build();
	}

	static boolean isInstalled(String program) {
		return Stream.of(System.getenv().getOrDefault("PATH", "").split(Pattern.quote(File.pathSeparator)))
			.anyMatch((folder) -> Files.isExecutable(Path.of(folder, program)));
	}

	/** Start Prometheus on the port of an application, with shortened rules. */
	static PrometheusServer start(int application, Path rules, Path folder) throws IOException {
		Files.writeString(folder.resolve("rules.yml"), hurried(Files.readString(rules)));
		Files.writeString(folder.resolve("prometheus.yml"), """
				global: { scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 250ms }
				rule_files: [rules.yml]
				scrape_configs:
				  - job_name: shop
				    metrics_path: /actuator/prometheus
				    static_configs: [ { targets: ["127.0.0.1:%d"] } ]
				""".formatted(application));
		int port = freePort();
		Process process = new ProcessBuilder("prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data",
				"--web.listen-address=127.0.0.1:" + port, "--log.level=warn")
			.directory(folder.toFile())
			.redirectErrorStream(true)
			.redirectOutput(folder.resolve("log.txt").toFile())
			.start();
		return new PrometheusServer(process, port);
	}

	/* Minutes become seconds, and the offset of an hour becomes thirty seconds. */
	static String hurried(String rules) {
		return MINUTES.matcher(rules.replace("offset 1h", "offset 30s")).replaceAll(PrometheusServer::seconds);
	}

	private static String seconds(MatchResult minutes) {
		return (minutes.group(1) != null) ? "[" + minutes.group(1) + "s]" : minutes.group(2) + "s";
	}

	/* Below the ports that the system gives to others. */
	private static int freePort() {
		for (int port = 20_000 + (int) (ProcessHandle.current().pid() % 10_000);; port++) {
			try (ServerSocket free = new ServerSocket(port)) {
				return free.getLocalPort();
			}
			catch (IOException ex) {
				// the next one
			}
		}
	}

	/** Return the values that a query has now. */
	List<Double> query(String query) {
		JsonNode answer = this.http.get()
			.uri((uri) -> uri.path("/api/v1/query").queryParam("query", "{query}").build(query))
			.retrieve()
			.body(JsonNode.class);
		return answer.path("data")
			.path("result")
			.values()
			.stream()
			.map((series) -> Double.valueOf(series.path("value").path(1).asString()))
			.toList();
	}

	/** Return the names of the alerts that are firing. */
	List<String> firing() {
		JsonNode answer = this.http.get().uri("/api/v1/alerts").retrieve().body(JsonNode.class);
		return answer.path("data")
			.path("alerts")
			.values()
			.stream()
			.filter((alert) -> alert.path("state").asString().equals("firing"))
			.map((alert) -> alert.path("labels").path("alertname").asString())
			.toList();
	}

	boolean isUp() {
		try {
			return query("up").equals(List.of(1.0));
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	void stop() throws InterruptedException {
		this.process.destroy();
		if (!this.process.waitFor(60, TimeUnit.SECONDS)) {
			this.process.destroyForcibly().waitFor();
		}
	}

}
