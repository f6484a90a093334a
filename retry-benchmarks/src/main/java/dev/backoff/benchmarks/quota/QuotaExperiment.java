package dev.backoff.benchmarks.quota;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.http.HttpClient;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

import dev.backoff.Attempt;
import dev.backoff.benchmarks.quota.QuotaProvider.Used;
import dev.backoff.spring.failure.QuotaHeaders;

/**
 * 64 callers of one process that want twice the quota of a {@link QuotaProvider}. Each
 * calls again some time after its call has ended, as do the callers of a pool.
 */
public final class QuotaExperiment {

	/** The first line of the figures. */
	public static final String FIELDS = "contender,counts,seconds,calls,lost,requests,refused,goodput,worst,load";

	private static final int CALLERS = 64;

	/* So that they want twice the quota, with a call of 0.1 s. */
	private static final double THINK_MILLIS = 3_100;

	private final long start = System.nanoTime();

	private final long[] nanos = new long[CALLERS];

	private final int[] served = new int[CALLERS];

	private int lost;

	private volatile boolean open = true;

	private QuotaExperiment() {
	}

	/**
	 * Run all contenders at once, each with a provider of its own, first where refused
	 * requests are free, and then where they count against the quota.
	 * @param time how long each part lasts
	 * @return the lines of the figures
	 * @throws InterruptedException if interrupted
	 * @throws ExecutionException if a server fails
	 */
	public static List<String> run(Duration time) throws InterruptedException, ExecutionException {
		List<String> rows = new ArrayList<>();
		ExecutorService threads = Executors.newCachedThreadPool();
		try {
			for (boolean counts : new boolean[] { false, true }) {
				List<Callable<String>> runs = Arrays.stream(Contender.values())
					.map((contender) -> (Callable<String>) () -> run(contender, counts, time))
					.toList();
				for (Future<String> run : threads.invokeAll(runs)) {
					rows.add(run.get());
				}
			}
		}
		finally {
			threads.shutdownNow();
		}
		return rows;
	}

	private static String run(Contender contender, boolean counts, Duration time)
			throws IOException, InterruptedException {
		boolean telling = contender == Contender.PACE_TOLD;
		ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
		ExecutorService http = Executors.newFixedThreadPool(2);
		try (QuotaProvider provider = new QuotaProvider(counts, telling)) {
			Runnable call = contender.call(attempt(provider, telling, http));
			QuotaExperiment experiment = new QuotaExperiment();
			for (int caller = 0; caller < CALLERS; caller++) {
				int number = caller;
				threads.execute(() -> experiment.calls(number, call));
			}
			Thread.sleep(time.toMillis());
			return experiment.row(contender, counts, provider.used());
		}
		finally {
			threads.shutdownNow();
			http.shutdownNow();
		}
	}

	private static Runnable attempt(QuotaProvider provider, boolean telling, ExecutorService http) {
		RestClient client = RestClient.builder()
			.requestFactory(new JdkClientHttpRequestFactory(
					HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).executor(http).build(), http))
			.baseUrl("http://127.0.0.1:" + provider.port())
			.build();
		QuotaHeaders quotas = new QuotaHeaders(Clock.systemUTC());
		return () -> client.get().uri("/work").exchange((request, response) -> {
			if (telling) {
				quotas.tell(Attempt.current(), response.getHeaders());
			}
			if (response.getStatusCode().isError()) {
				throw response.createException();
			}
			return response.getStatusCode();
		});
	}

	private void calls(int caller, Runnable call) {
		SplittableRandom chance = new SplittableRandom(caller);
		try {
			while (this.open) {
				Thread.sleep((long) (-Math.log(1 - chance.nextDouble()) * THINK_MILLIS));
				long begin = System.nanoTime();
				ended(caller, succeeds(call), System.nanoTime() - begin);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static boolean succeeds(Runnable call) {
		try {
			call.run();
			return true;
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	private synchronized void ended(int caller, boolean success, long time) {
		if (success) {
			this.nanos[caller] += time;
			this.served[caller]++;
		}
		else {
			this.lost++;
		}
	}

	/* A caller without a success has waited for all of the time. */
	private synchronized String row(Contender contender, boolean counts, Used used) {
		this.open = false;
		double seconds = (System.nanoTime() - this.start) / 1e9;
		int successes = Arrays.stream(this.served).sum();
		double worst = 0;
		for (int caller = 0; caller < CALLERS; caller++) {
			worst = Math.max(worst,
					(this.served[caller] > 0) ? this.nanos[caller] / 1e9 / this.served[caller] : seconds);
		}
		double mean = Arrays.stream(this.nanos).sum() / 1e9 / Math.max(1, successes);
		return String.format(Locale.ROOT, "%s,%s,%.0f,%d,%d,%d,%d,%.4f,%.3f,%.2f", contender.label(), counts, seconds,
				successes + this.lost, this.lost, used.requests(), used.refused(), used.goodput(), worst / mean,
				ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
	}

}
