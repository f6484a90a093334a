package dev.backoff.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.linesOf;

/**
 * The shop in a process of its own: from its jar, or from the class path of the tests
 * without a jar. It takes free ports, which it logs.
 */
final class ShopProcess implements AutoCloseable {

	private static final Pattern SHOP = Pattern.compile("Tomcat started on port (\\d+)");

	private static final Pattern PARTNERS = Pattern.compile("The partners answer at (\\S+)");

	private final HttpClient http = HttpClient.newHttpClient();

	private final Process process;

	private final Path log;

	private final String shop;

	private final String partners;

	private ShopProcess(Process process, Path log) {
		this.process = process;
		this.log = log;
		this.partners = awaitLine(PARTNERS);
		this.shop = "http://localhost:" + awaitLine(SHOP);
	}

	static ShopProcess start(Path directory, List<String> arguments) throws IOException {
		return start(directory, List.of(), arguments);
	}

	/** Start the shop, with options of the virtual machine and arguments. */
	static ShopProcess start(Path directory, List<String> options, List<String> arguments) throws IOException {
		Path log = directory.resolve("shop.log");
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC"));
		command.addAll(options);
		String jar = System.getProperty("shop.jar");
		command.addAll((jar != null) ? List.of("-jar", jar)
				: List.of("-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
						ShopApplication.class.getName()));
		command.addAll(List.of("--server.port=0", "--shop.gateway.port=0", "--shop.traffic.enabled=false",
				"--spring.http.clients.connect-timeout=30s", "--spring.http.clients.read-timeout=30s"));
		command.addAll(arguments);
		return new ShopProcess(new ProcessBuilder(command).directory(directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start(), log);
	}

	private String awaitLine(Pattern pattern) {
		Awaitility.await()
			.atMost(Duration.ofMinutes(2))
			.until(() -> !this.process.isAlive() || lines().stream().anyMatch((line) -> pattern.matcher(line).find()));
		return lines().stream()
			.map(pattern::matcher)
			.filter(Matcher::find)
			.map((found) -> found.group(1))
			.findFirst()
			.orElseThrow(() -> new AssertionError(String.join("\n", lines())));
	}

	/** Return its log so far. */
	List<String> lines() {
		return linesOf(this.log.toFile(), StandardCharsets.UTF_8);
	}

	/** Return a command of a page with the ports of this shop. */
	String reached(String command) {
		return command.replace("localhost:8080", this.shop).replace("localhost:8090", this.partners);
	}

	/** Plan a fault, such as {@code payments?answer=503}. */
	void fault(String plan) {
		if (send(this.partners + "/faults/" + plan, "POST", null).join().statusCode() != 200) {
			throw new IllegalArgumentException(plan);
		}
	}

	/** Place an order, and return its trade number. */
	String trade() {
		String answer = order().body();
		Matcher trade = Pattern.compile("\"trade\":\"(\\w+)\"").matcher(answer);
		if (!trade.find()) {
			throw new AssertionError(answer);
		}
		return trade.group(1);
	}

	HttpResponse<String> order() {
		return send(this.shop + "/orders", "POST", "{\"sku\": \"tea\", \"quantity\": 1}").join();
	}

	CompletableFuture<HttpResponse<String>> post(String path) {
		return send(this.shop + path, "POST", null);
	}

	CompletableFuture<HttpResponse<String>> get(String path) {
		return send(this.shop + path, "GET", null);
	}

	/** Return the sum of a meter over its tags. */
	double meter(String name) {
		return send(this.shop + "/actuator/prometheus", "GET", null).join()
			.body()
			.lines()
			.filter((line) -> line.startsWith(name))
			.mapToDouble((line) -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
			.sum();
	}

	private CompletableFuture<HttpResponse<String>> send(String uri, String method, String json) {
		return this.http.sendAsync(HttpRequest.newBuilder(URI.create(uri))
			.header("Content-Type", "application/json")
			.method(method,
					(json != null) ? HttpRequest.BodyPublishers.ofString(json) : HttpRequest.BodyPublishers.noBody())
			.build(), BodyHandlers.ofString());
	}

	/** Return the page of a route of the partners. */
	JsonNode page(String route) {
		return JsonMapper.shared().readTree(send(this.partners + "/calls", "GET", null).join().body()).path(route);
	}

	/** Send JSON to the shop, and return its answer. */
	JsonNode post(String path, String json) {
		return JsonMapper.shared().readTree(send(this.shop + path, "POST", json).join().body());
	}

	JsonNode json(String path) {
		return JsonMapper.shared().readTree(get(path).join().body());
	}

	/** Send {@code SIGTERM}, and return whether the process ended in time. */
	boolean terminate(Duration time) throws InterruptedException {
		this.process.destroy();
		return this.process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
	}

	/** Send {@code SIGKILL}. */
	void kill() {
		close();
	}

	@Override
	public void close() {
		this.process.destroyForcibly().onExit().orTimeout(60, TimeUnit.SECONDS).join();
	}

}
