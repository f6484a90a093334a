package dev.backoff.benchmarks.waiting;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import dev.backoff.Retry;
import dev.backoff.RetryPolicy;
import dev.backoff.WaitingCalls;
import dev.backoff.delay.Jitter;

/**
 * Asynchronous calls whose first attempt has failed and that wait for the next, an hour
 * or two away, until they are cancelled in an order of chance.
 *
 * @param calls how many wait at once
 * @param bytes what one costs, the future that its caller holds included
 * @param threads how many threads there are more than before
 * @param startNanos what the first attempt, its failure and the beginning of the wait
 * take
 * @param cancelNanos what it takes to cancel one
 * @param bytesAfter what is left of one after all are cancelled
 */
public record AsyncWaits(int calls, double bytes, int threads, long startNanos, long cancelNanos, double bytesAfter) {

	private static final int WARM_UP = 50_000;

	private static final CompletionStage<String> FAILED = CompletableFuture
		.failedFuture(new IllegalStateException("down"));

	/**
	 * Measure.
	 * @param calls how many calls wait at once
	 * @return what they cost
	 */
	public static AsyncWaits of(int calls) {
		WaitingCalls waiting = new WaitingCalls();
		Retry retry = Retry
			.builder(RetryPolicy.builder("waiting")
				.base(Duration.ofHours(2))
				.cap(Duration.ofHours(2))
				.jitter(Jitter.equal())
				.retryOn(IllegalStateException.class)
				.build())
			.waitingCalls(waiting)
			.build();
		for (int i = 0; i < 2; i++) {
			cancel(start(retry, WARM_UP));
		}
		long before = Heap.used();
		int threadsBefore = countThreads();
		long started = System.nanoTime();
		List<CompletableFuture<String>> waits = start(retry, calls);
		long startNanos = (System.nanoTime() - started) / calls;
		int threads = countThreads() - threadsBefore;
		long during = Heap.used();
		if (waiting.count() != calls) {
			throw new IllegalStateException(waiting + " in place of " + calls);
		}
		Collections.shuffle(waits, new Random(calls));
		long cancelled = System.nanoTime();
		cancel(waits);
		long cancelNanos = (System.nanoTime() - cancelled) / calls;
		waits.clear();
		// what the list itself holds is the caller's
		long list = 4L * calls;
		return new AsyncWaits(calls, (during - before - list) / (double) calls, threads, startNanos, cancelNanos,
				(Heap.used() - before - list) / (double) calls);
	}

	private static List<CompletableFuture<String>> start(Retry retry, int calls) {
		List<CompletableFuture<String>> started = new ArrayList<>(calls);
		for (int i = 0; i < calls; i++) {
			started.add(retry.callAsync(() -> FAILED));
		}
		return started;
	}

	private static void cancel(List<CompletableFuture<String>> waits) {
		for (CompletableFuture<String> wait : waits) {
			if (!wait.cancel(true)) {
				throw new IllegalStateException("A call did not wait");
			}
		}
	}

	private static int countThreads() {
		return Thread.getAllStackTraces().size();
	}

}
