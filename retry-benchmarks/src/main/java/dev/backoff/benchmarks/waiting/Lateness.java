package dev.backoff.benchmarks.waiting;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import dev.backoff.AsyncOperation;
import dev.backoff.Retry;
import dev.backoff.delay.Jitter;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;

/**
 * How late second attempts start, after waits that are spread evenly over a time: from
 * when the wait should have ended to the first line of the attempt, on an executor with
 * one thread.
 *
 * @param calls how many wait at once
 * @param median the middle, in nanoseconds
 * @param p99 what 99 of 100 do not exceed
 * @param most the greatest
 */
public record Lateness(int calls, long median, long p99, long most) {

	private static final CompletionStage<String> FAILED = CompletableFuture
		.failedFuture(new IllegalStateException("down"));

	private static final CompletionStage<String> DONE = CompletableFuture.completedFuture("done");

	/**
	 * Measure.
	 * @param calls how many calls wait at once
	 * @param spread over what time their ends are spread
	 * @return how late they go on
	 * @throws InterruptedException if interrupted
	 */
	public static Lateness of(int calls, Duration spread) throws InterruptedException {
		Dues dues = new Dues(calls);
		long[] late = new long[calls];
		CountDownLatch done = new CountDownLatch(calls);
		AsyncOperation.OnContext<Integer, String> operation = (call, number) -> {
			if (number == 1) {
				return FAILED;
			}
			late[call] = System.nanoTime() - dues.dues[call];
			done.countDown();
			return DONE;
		};
		ExecutorService executor = Executors.newSingleThreadExecutor();
		try {
			Retry retry = Retry
				.builder(RetryPolicy.builder("late")
					.base(spread)
					.cap(spread)
					.jitter(Jitter.full())
					.retryOn(IllegalStateException.class)
					.build())
				.time(dues)
				.executor(executor)
				.build();
			CompletableFuture<?>[] results = new CompletableFuture<?>[calls];
			for (int i = 0; i < calls; i++) {
				results[i] = retry.callAsyncOn(i, operation, null);
			}
			done.await();
			CompletableFuture.allOf(results).join();
		}
		finally {
			executor.shutdown();
		}
		Arrays.sort(late);
		return new Lateness(calls, late[calls / 2], late[(int) (calls * 0.99)], late[calls - 1]);
	}

	/** The system's time, with a note when each wait should end: of calls in turn. */
	private static final class Dues implements RetryTime {

		private final Thread starter = Thread.currentThread();

		private final long[] dues;

		private int next;

		Dues(int calls) {
			this.dues = new long[calls];
		}

		@Override
		public long nanoTime() {
			return System.nanoTime();
		}

		@Override
		public void sleep(long nanos) throws InterruptedException {
			RetryTime.system().sleep(nanos);
		}

		/* The waits begin on the thread that starts the calls, other timers elsewhere. */
		@Override
		public Cancellable schedule(Runnable task, long nanos) {
			if (Thread.currentThread() == this.starter) {
				this.dues[this.next++] = System.nanoTime() + nanos;
			}
			return RetryTime.system().schedule(task, nanos);
		}

	}

}
