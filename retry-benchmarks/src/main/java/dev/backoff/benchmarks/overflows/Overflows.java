package dev.backoff.benchmarks.overflows;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import dev.backoff.Retry;
import dev.backoff.benchmarks.ForkedProcess;
import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.policy.RetryPolicy;

/**
 * Let the stack overflow in calls that are compiled, in processes of their own, and count
 * the permits and the probes that are lost.
 */
public final class Overflows {

	private static final int FRAMES = 100;

	private final ConcurrencyLimit limit = new ConcurrencyLimit("orders", Integer.MAX_VALUE, 0);

	private final String kind;

	private final int probes;

	private final CircuitBreaker breaker;

	private final Retry retry;

	private int overflows;

	private Overflows(String kind) {
		this.kind = kind;
		this.probes = kind.equals("opening") ? 1 : 1_000_000;
		BreakerSettings.Builder settings = BreakerSettings.builder().failureRate(1).probes(this.probes);
		settings.halfOpenTimeout(Duration.ofDays(1));
		this.breaker = CircuitBreaker.builder("orders").settings(settings.build()).build();
		RetryPolicy policy = RetryPolicy.builder("orders").base(Duration.ZERO).maxAttempts(2).build();
		this.retry = Retry.builder(policy).concurrencyLimit(this.limit).breaker(this.breaker).build();
	}

	/**
	 * Start the processes one after the other, and print what was lost.
	 * @param arguments how many processes of each kind, and how many overflows in each;
	 * in such a process the kind, the number and a seed
	 * @throws Exception if a process fails
	 */
	public static void main(String[] arguments) throws Exception {
		if (arguments.length > 2) {
			new Overflows(arguments[0]).run(Integer.parseInt(arguments[1]), new Random(Long.parseLong(arguments[2])));
			return;
		}
		for (String kind : List.of("success", "failure", "future", "opening")) {
			int[] sums = new int[3];
			for (int seed = 0; seed < Integer.parseInt(arguments[0]); seed++) {
				try (ForkedProcess process = ForkedProcess.startTalking(Overflows.class, List.of(),
						Path.of("/dev/null"), kind, arguments[1], String.valueOf(seed))) {
					String[] counts = process.readLine().split(" ", -1);
					Arrays.setAll(sums, (i) -> sums[i] + Integer.parseInt(counts[i]));
				}
			}
			System.out.printf("%s: %d overflows, %d permits and %d probes lost%n", kind, sums[0], sums[1], sums[2]);
		}
	}

	private void run(int wanted, Random random) throws InterruptedException {
		for (int i = 0; i < 30_000; i++) {
			call();
		}
		this.breaker.openFor(Duration.ofNanos(1));
		int lost = 0;
		while (this.overflows < wanted) {
			int one = (this.probes > 1) ? 0 : 1 + random.nextInt(FRAMES);
			onThread(() -> descend(one, random.nextInt(FRAMES)));
			// on another thread, since that one has ended with what it owes
			onThread(this::call);
			if (this.probes == 1) {
				lost += (this.breaker.state() != BreakerState.CLOSED) ? 1 : 0;
				this.breaker.openFor(Duration.ofNanos(1));
			}
		}
		if (this.probes > 1) {
			lost = this.probes - (int) this.breaker.counts().total();
			while (this.breaker.tryAcquire(System.nanoTime()) != null) {
				lost--;
			}
		}
		System.out.println(this.overflows + " " + this.limit.active() + " " + lost);
	}

	private static void onThread(Runnable task) throws InterruptedException {
		Thread thread = new Thread(null, task, "small", 200_000);
		thread.start();
		thread.join();
	}

	/* Padding frames are larger, so that the others begin at different places. */
	private int descend(int one, int padding) {
		if (padding > 0) {
			return descend(one, padding - 1) + padding;
		}
		int left = FRAMES;
		try {
			left = descend(one, 0);
		}
		catch (StackOverflowError ex) {
			// the last frame
		}
		if (left > 0 && (one == 0 || left == one)) {
			call();
		}
		return left - 1;
	}

	private void call() {
		try {
			Object unused = this.kind.equals("future")
					? this.retry.callAsync(() -> CompletableFuture.completedFuture("done"))
					: this.retry.call(() -> 1 / (this.kind.equals("failure") ? 0 : 1));
		}
		catch (StackOverflowError ex) {
			this.overflows++;
		}
		catch (ArithmeticException | CircuitOpenException ex) {
			// as expected
		}
	}

}
