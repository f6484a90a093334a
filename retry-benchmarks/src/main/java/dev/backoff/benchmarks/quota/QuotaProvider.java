package dev.backoff.benchmarks.quota;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A server with a bucket of {@value #BURST} requests, which is full at the start and gets
 * {@value #PER_SECOND} a second. It refuses what is above its quota with 429 and
 * {@code Retry-After}, in whole seconds.
 */
final class QuotaProvider implements AutoCloseable {

	static final int BURST = 100;

	static final int PER_SECOND = 10;

	/* A good answer takes half of it, and up to as much again. */
	private static final int LATENCY_MILLIS = 100;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final SplittableRandom chance = new SplittableRandom(1);

	private final HttpServer server;

	private final boolean counts;

	private final boolean telling;

	private double left = BURST;

	/* Of the first request. */
	private long start;

	private long at;

	private int requests;

	private int refused;

	/**
	 * Start a provider.
	 * @param counts whether refused requests use the quota too
	 * @param telling whether each answer tells what remains of the quota
	 */
	QuotaProvider(boolean counts, boolean telling) throws IOException {
		this.counts = counts;
		this.telling = telling;
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000);
		this.server.setExecutor(this.threads);
		this.server.createContext("/work", this::answer);
		this.server.start();
	}

	private void answer(HttpExchange exchange) throws IOException {
		try (exchange) {
			long latency = take(exchange.getResponseHeaders());
			if (latency > 0) {
				Thread.sleep(latency);
			}
			exchange.sendResponseHeaders((latency > 0) ? 200 : 429, -1);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/* Return the time that the answer takes, or 0 if the request is refused. */
	private synchronized long take(Headers headers) {
		if (this.requests == 0) {
			this.start = System.nanoTime();
			this.at = this.start;
		}
		refill();
		this.requests++;
		boolean allowed = this.left >= 1;
		if (!allowed) {
			this.refused++;
			headers.set("Retry-After", Long.toString((long) Math.ceil((1 - this.left) / PER_SECOND)));
		}
		this.left = (allowed || this.counts) ? Math.max(0, this.left - 1) : this.left;
		if (this.telling) {
			headers.set("x-ratelimit-limit-requests", Integer.toString(BURST));
			headers.set("x-ratelimit-remaining-requests", Integer.toString((int) this.left));
			headers.set("x-ratelimit-reset-requests", (long) ((BURST - this.left) / PER_SECOND * 1_000) + "ms");
		}
		return allowed ? LATENCY_MILLIS / 2 + this.chance.nextInt(LATENCY_MILLIS) : 0;
	}

	private void refill() {
		long now = System.nanoTime();
		this.left = Math.min(BURST, this.left + (now - this.at) / 1e9 * PER_SECOND);
		this.at = now;
	}

	/** Return the numbers so far. */
	synchronized Used used() {
		refill();
		double quota = BURST + (this.at - this.start) / 1e9 * PER_SECOND - this.left;
		return new Used(this.requests, this.refused, (this.requests - this.refused) / quota);
	}

	int port() {
		return this.server.getAddress().getPort();
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	/**
	 * What the server counted.
	 *
	 * @param requests all requests
	 * @param refused those with 429
	 * @param goodput the other ones ÷ the quota that was there; what is left of it does
	 * not count
	 */
	record Used(int requests, int refused, double goodput) {
	}

}
