package dev.backoff.benchmarks.stall;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

import dev.backoff.Retry;
import dev.backoff.benchmarks.ForkedProcess;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.simulator.Course;
import dev.backoff.time.RetryTime;

/**
 * The scenario of {@link RetryLimit#simulate} with a real server of one thread, in a
 * process of its own, real connections and blocking calls. The server is a tenth as fast,
 * so its bucket holds a tenth.
 */
public final class StallExperiment {

	/** What the server does in a second: {@value}. */
	public static final int CAPACITY = 100;

	/** What the default bucket is scaled to: {@value}. */
	public static final int TOKENS = 5;

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private static final List<String> SERVER_OPTIONS = List.of("-Xmx128m", "-Dsun.net.httpserver.nodelay=true",
			"-Dsun.net.httpserver.maxIdleConnections=10000");

	private static final double SECOND = 1e9;

	private final Course figures;

	private final Retry retry;

	private final HttpRequest request;

	private final long start = System.nanoTime();

	private StallExperiment(int port, RetryLimit limit, Course figures) {
		this.figures = figures;
		RetryPolicy policy = RetryPolicy.builder("stall").maxAttempts(limit.maxAttempts()).build();
		this.retry = Retry.builder(policy).budget(limit.budget(RetryTime.system())).build();
		this.request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/work"))
			.timeout(TIMEOUT)
			.build();
	}

	/**
	 * Run it.
	 * @param utilisation the share of its capacity at which the server is used
	 * @param limit what limits the retries
	 * @param times how long each part lasts
	 * @param log where the server's errors go
	 * @param seed where the arrivals start
	 * @return what happened
	 * @throws IOException if the server fails
	 * @throws InterruptedException if interrupted
	 */
	public static Course run(double utilisation, RetryLimit limit, Times times, Path log, long seed)
			throws IOException, InterruptedException {
		ExecutorService threads = Executors.newCachedThreadPool();
		ExecutorService http = Executors.newFixedThreadPool(2);
		try (ForkedProcess server = ForkedProcess.startTalking(StallServer.class, SERVER_OPTIONS, log,
				Integer.toString(CAPACITY))) {
			HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).executor(http).build();
			int port = Integer.parseInt(server.readLine());
			connect(client, port);
			Course figures = new Course(times.warmUp(), times.stall(), times.horizon());
			StallExperiment experiment = new StallExperiment(port, limit, figures);
			experiment.offer(utilisation * CAPACITY, times, client, server, threads, new Random(seed));
			return figures;
		}
		finally {
			threads.shutdownNow();
			http.shutdownNow();
		}
	}

	/* So that the first call that counts does not pay for loading classes. */
	private static void connect(HttpClient client, int port) throws IOException, InterruptedException {
		client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/work")).build(),
				HttpResponse.BodyHandlers.discarding());
	}

	private void offer(double perSecond, Times times, HttpClient client, ForkedProcess server, ExecutorService threads,
			Random random) throws IOException {
		long stallAt = times.warmUp().toNanos();
		long end = stallAt + times.stall().plus(times.horizon()).toNanos();
		boolean stalled = false;
		long due = 0;
		while (due < end) {
			await(due);
			if (due >= stallAt && !stalled) {
				stalled = true;
				server.writeLine(Long.toString(times.stall().toMillis()));
			}
			threads.execute(() -> call(client));
			due += (long) (-Math.log(1 - random.nextDouble()) / perSecond * SECOND);
		}
	}

	private void await(long due) {
		for (long left = due - now(); left > 0; left = due - now()) {
			LockSupport.parkNanos(left);
		}
	}

	private long now() {
		return System.nanoTime() - this.start;
	}

	private void call(HttpClient client) {
		this.figures.firstAttempt(now());
		try {
			this.retry.call(() -> attempt(client));
			this.figures.success(now());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (Exception ex) {
			this.figures.failure(now());
		}
	}

	private int attempt(HttpClient client) throws IOException, InterruptedException {
		this.figures.attempt(now());
		return client.send(this.request, HttpResponse.BodyHandlers.discarding()).statusCode();
	}

	/**
	 * How long each part lasts.
	 *
	 * @param warmUp before the stall
	 * @param stall the stall
	 * @param horizon how long to look after it
	 */
	public record Times(Duration warmUp, Duration stall, Duration horizon) {

	}

}
