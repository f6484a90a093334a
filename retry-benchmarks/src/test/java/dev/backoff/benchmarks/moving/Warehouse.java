package dev.backoff.benchmarks.moving;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import org.springframework.web.client.RestClient;

/** A real server that answers as it is told, and a client of it. */
final class Warehouse implements AutoCloseable {

	private static final int OK = 200;

	private final HttpServer server;

	private final RestClient client;

	private final Queue<Integer> answers = new ConcurrentLinkedQueue<>();

	private final Queue<String> requests = new ConcurrentLinkedQueue<>();

	Warehouse() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/", this::answer);
		this.server.start();
		this.client = RestClient.create("http://localhost:" + this.server.getAddress().getPort());
	}

	private void answer(HttpExchange exchange) throws IOException {
		this.requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
		Integer status = this.answers.poll();
		byte[] body = "done".getBytes(StandardCharsets.UTF_8);
		exchange.sendResponseHeaders((status != null) ? status : OK, body.length);
		exchange.getResponseBody().write(body);
		exchange.close();
	}

	/** Reserve one piece of an item, by one request. */
	String reserve(String item) {
		return String.valueOf(this.client.put().uri("/reservations/{item}", item).retrieve().body(String.class));
	}

	/** Answer with these statuses from now on, and then with 200. */
	void willAnswer(List<Integer> statuses) {
		this.requests.clear();
		this.answers.clear();
		this.answers.addAll(statuses);
	}

	List<String> requests() {
		return List.copyOf(this.requests);
	}

	@Override
	public void close() {
		this.server.stop(0);
	}

}
