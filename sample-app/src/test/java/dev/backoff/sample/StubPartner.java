package dev.backoff.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/** A partner that answers each path as planned and notes when requests arrive. */
final class StubPartner implements AutoCloseable {

	private static final Answer OK = new Answer(200, "well", null);

	private final Map<String, Answer> answers = new ConcurrentHashMap<>();

	private final Map<String, List<Long>> arrivals = new ConcurrentHashMap<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	/* Holds a port, and never listens. */
	private final Socket nothing = new Socket();

	private final HttpServer server;

	StubPartner() {
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server.createContext("/", this::answer);
		this.server.setExecutor(this.threads);
		this.server.start();
	}

	private void answer(HttpExchange exchange) throws IOException {
		try (exchange) {
			exchange.getRequestBody().readAllBytes();
			String path = exchange.getRequestURI().getPath();
			arrivals(path).add(System.nanoTime());
			Answer answer = this.answers.getOrDefault(path, OK);
			if (answer.location() != null) {
				exchange.getResponseHeaders().add("Location", answer.location());
			}
			byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(answer.status(), body.length);
			exchange.getResponseBody().write(body);
		}
	}

	/** Return the address without a path. */
	String url() {
		return "http://localhost:" + this.server.getAddress().getPort();
	}

	void answer(String path, int status, String body) {
		this.answers.put(path, new Answer(status, body, null));
	}

	/** Answer with a redirect to a port on which nothing listens. */
	void redirectToNothing(String path) {
		try {
			this.nothing.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
			this.answers.put(path,
					new Answer(307, "moved", "http://localhost:" + this.nothing.getLocalPort() + "/moved"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	int count(String path) {
		return arrivals(path).size();
	}

	private List<Long> arrivals(String path) {
		return this.arrivals.computeIfAbsent(path, (key) -> new CopyOnWriteArrayList<>());
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	/** An answer, with the location of a redirect or null. */
	private record Answer(int status, String body, String location) {

	}

}
