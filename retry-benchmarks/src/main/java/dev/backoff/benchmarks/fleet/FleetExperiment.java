package dev.backoff.benchmarks.fleet;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import dev.backoff.AsyncOperation;
import dev.backoff.Retry;
import dev.backoff.benchmarks.ForkedProcess;
import dev.backoff.benchmarks.outage.OutageServer;
import dev.backoff.budget.RetryBudget;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.simulator.BudgetFeed;
import dev.backoff.time.RetryTime;

/**
 * The outage of {@link FleetBudget#loadInOutage} with a real server in a process of its
 * own and real connections. The callers are in one process; each has its own bucket.
 */
public final class FleetExperiment {

	private static final int CALLERS = 200;

	private static final List<String> SERVER_OPTIONS = List.of("-Xmx128m", "-Dsun.net.httpserver.nodelay=true",
			"-Dsun.net.httpserver.maxIdleConnections=10000");

	private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final int port;

	private FleetExperiment(int port) {
		this.port = port;
	}

	/**
	 * Run it, with one call a second of each caller on average.
	 * @param budget the bucket of each caller
	 * @param outage how long the server refuses
	 * @param log where the server's errors go
	 * @return requests that the server got for each call
	 * @throws IOException if the server fails
	 * @throws InterruptedException if interrupted
	 */
	public static double loadInOutage(FleetBudget budget, Duration outage, Path log)
			throws IOException, InterruptedException {
		try (ForkedProcess server = ForkedProcess.startTalking(OutageServer.class, SERVER_OPTIONS, log)) {
			FleetExperiment experiment = new FleetExperiment(Integer.parseInt(server.readLine()));
			for (int call = 0; call < CALLERS; call++) {
				// so that the first call that counts does not pay for loading classes
				experiment.ask("work");
			}
			experiment.ask("down");
			List<CompletableFuture<?>> calls = experiment.call(budget, outage);
			// the server refuses until the last of them has ended
			CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).exceptionally((failure) -> null).join();
			return Long.parseLong(experiment.ask("count")) / (double) calls.size();
		}
	}

	private List<CompletableFuture<?>> call(FleetBudget budget, Duration outage) {
		List<Caller> callers = IntStream.range(0, CALLERS).mapToObj((caller) -> Caller.of(budget)).toList();
		HttpRequest request = request("work").build();
		Random random = new Random(1);
		List<CompletableFuture<?>> calls = new ArrayList<>();
		long start = System.nanoTime();
		double due = 0;
		while (due < outage.toNanos()) {
			await(start + (long) due);
			calls.add(callers.get(random.nextInt(CALLERS))
				.call(() -> this.client.sendAsync(request, HttpResponse.BodyHandlers.discarding())
					.thenApply(HttpResponse::statusCode)));
			due -= Math.log(1 - random.nextDouble()) / CALLERS * 1e9;
		}
		return calls;
	}

	private static void await(long due) {
		for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + "/" + path));
	}

	private String ask(String path) throws IOException, InterruptedException {
		return this.client.send(request(path).build(), HttpResponse.BodyHandlers.ofString()).body();
	}

	private record Caller(Retry retry, RetryBudget budget, BudgetFeed feed) {

		static Caller of(FleetBudget bucket) {
			RetryBudget budget = RetryBudget.of("fleet", bucket.settings(), RetryTime.system(),
					RetryBudget.Listener.NONE);
			RetryPolicy policy = RetryPolicy.builder("fleet")
				.retryWhen((status, context) -> !Integer.valueOf(200).equals(status))
				.build();
			return new Caller(Retry.builder(policy).budget(budget).build(), budget, bucket.feed());
		}

		CompletableFuture<?> call(AsyncOperation<Integer> attempt) {
			this.feed.begins(this.budget, System.nanoTime());
			return this.retry.callAsync(attempt);
		}

	}

}
