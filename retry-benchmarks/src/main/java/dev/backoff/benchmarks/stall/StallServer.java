package dev.backoff.benchmarks.stall;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A server of one thread, with a queue that has no end. It works off every request it was
 * sent, in order, each for the same time, also those that nobody waits for any more:
 * nobody tells it.
 */
public final class StallServer implements AutoCloseable {

	private final ExecutorService thread = Executors.newSingleThreadExecutor();

	private final HttpServer server;

	private final long serviceNanos;

	private volatile long stalledUntil = System.nanoTime();

	/*
	 * Both are of the one thread: when it will be done with all it began, and when what
	 * it begins now was queued. Reckoning with these, and not with the time at which it
	 * wakes up, keeps the capacity exact.
	 */
	private long freeAt = System.nanoTime();

	private long arrivedAt = System.nanoTime();

	private StallServer(double capacity) throws IOException {
		this.serviceNanos = (long) (1e9 / capacity);
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000);
		this.server.setExecutor(this::queue);
		this.server.createContext("/work", this::serve);
	}

	/**
	 * Start a server.
	 * @param capacity what it does in a second
	 * @return the server
	 * @throws IOException if there is no port to be had
	 */
	public static StallServer start(double capacity) throws IOException {
		StallServer server = new StallServer(capacity);
		server.server.start();
		return server;
	}

	/**
	 * Serve until the standard input ends, which it does with the process that started
	 * this one. Each line of it is a number of milliseconds to stall from now on. The
	 * first line of the output is the port.
	 * @param args the capacity
	 * @throws IOException if there is no port to be had
	 */
	public static void main(String[] args) throws IOException {
		try (StallServer server = start(Double.parseDouble(args[0]));
				BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
			System.out.println(server.port());
			for (String line = in.readLine(); line != null; line = in.readLine()) {
				server.stall(Duration.ofMillis(Long.parseLong(line)));
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

	/**
	 * Stop serving for a while. What arrives is queued.
	 * @param time how long
	 */
	public void stall(Duration time) {
		this.stalledUntil = System.nanoTime() + time.toNanos();
	}

	private void queue(Runnable request) {
		long now = System.nanoTime();
		this.thread.execute(() -> {
			this.arrivedAt = now;
			request.run();
		});
	}

	private void serve(HttpExchange exchange) throws IOException {
		long start = later(later(this.arrivedAt, this.freeAt), this.stalledUntil);
		this.freeAt = start + this.serviceNanos;
		for (long left = this.freeAt - System.nanoTime(); left > 0; left = this.freeAt - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
		try (exchange) {
			exchange.sendResponseHeaders(200, -1);
		}
	}

	private static long later(long one, long other) {
		return (one - other > 0) ? one : other;
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.thread.shutdownNow();
	}

}
