package dev.backoff.benchmarks.outage;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Make calls by a fixed schedule, whether or not earlier ones have ended, as users do.
 * All threads are there from the start.
 */
final class OpenLoad implements AutoCloseable {

	private static final long SECOND = 1_000_000_000;

	private final ThreadPoolExecutor threads;

	private final LongAdder succeeded = new LongAdder();

	private final LongAdder nanos = new LongAdder();

	OpenLoad(int threads) {
		this.threads = new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
		this.threads.prestartAllCoreThreads();
	}

	/** Make so many calls at so many a second; return when the last has ended. */
	void run(int calls, int perSecond, Runnable call) throws InterruptedException {
		CountDownLatch open = new CountDownLatch(calls);
		long start = System.nanoTime();
		for (int i = 0; i < calls; i++) {
			await(start + i * SECOND / perSecond);
			this.threads.execute(() -> {
				measured(call);
				open.countDown();
			});
		}
		open.await();
	}

	private static void await(long due) {
		for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	private void measured(Runnable call) {
		long start = System.nanoTime();
		try {
			call.run();
			this.succeeded.increment();
		}
		catch (RuntimeException ex) {
			// counted by its absence among the successes
		}
		finally {
			this.nanos.add(System.nanoTime() - start);
		}
	}

	long succeeded() {
		return this.succeeded.sum();
	}

	/** Return the time that all calls took together, in nanoseconds. */
	long nanos() {
		return this.nanos.sum();
	}

	/** Forget the calls so far. */
	void reset() {
		this.succeeded.reset();
		this.nanos.reset();
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
	}

}
