package dev.backoff.benchmarks.outage;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A server that answers {@code /work} with 200 or, when it is told to, with 503 and no
 * hint, and counts the requests. {@code /up} and {@code /down} switch it and reset the
 * count, {@code /count} returns it.
 */
public final class OutageServer implements AutoCloseable {

	private final AtomicLong requests = new AtomicLong();

	private final ExecutorService threads = Executors.newFixedThreadPool(8);

	private final HttpServer server;

	private volatile boolean up = true;

	private OutageServer() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000);
		this.server.setExecutor(this.threads);
		this.server.createContext("/work", (exchange) -> {
			this.requests.incrementAndGet();
			answer(exchange, this.up ? 200 : 503, "");
		});
		this.server.createContext("/up", (exchange) -> change(exchange, true));
		this.server.createContext("/down", (exchange) -> change(exchange, false));
		this.server.createContext("/count", (exchange) -> answer(exchange, 200, Long.toString(this.requests.get())));
	}

	/**
	 * Start a server that is up.
	 * @return the server
	 * @throws IOException if there is no port to be had
	 */
	public static OutageServer start() throws IOException {
		OutageServer server = new OutageServer();
		server.server.start();
		return server;
	}

	/**
	 * Serve until the standard input ends, which it does with the process that started
	 * this one. The first line of the output is the port.
	 * @param args none
	 * @throws IOException if there is no port to be had
	 */
	public static void main(String[] args) throws IOException {
		try (OutageServer server = start()) {
			System.out.println(server.port());
			while (System.in.read() >= 0) {
				// whatever is said
			}
		}
	}

	/**
	 * Return where it listens.
	 * @return the port on the loopback interface
	 */
	public int port() {
		return this.server.getAddress().getPort();
	}

	private void change(HttpExchange exchange, boolean up) throws IOException {
		this.up = up;
		this.requests.set(0);
		answer(exchange, 200, "");
	}

	private static void answer(HttpExchange exchange, int status, String text) throws IOException {
		byte[] body = text.getBytes(StandardCharsets.UTF_8);
		try (exchange) {
			exchange.sendResponseHeaders(status, (body.length == 0) ? -1 : body.length);
			if (body.length > 0) {
				exchange.getResponseBody().write(body);
			}
		}
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

}
