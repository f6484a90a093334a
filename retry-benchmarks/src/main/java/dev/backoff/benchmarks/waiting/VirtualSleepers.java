package dev.backoff.benchmarks.waiting;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import dev.backoff.CallRegistry;
import dev.backoff.Retry;
import dev.backoff.delay.Jitter;
import dev.backoff.policy.RetryPolicy;

/**
 * Blocking calls on virtual threads, whose first attempt has failed and that sleep until
 * the application shuts down.
 *
 * @param calls how many sleep at once
 * @param bytes what one costs, its thread included
 * @param bytesOfThread what a virtual thread costs that sleeps and makes no call
 * @param platformThreads how many platform threads there are more than before
 * @param wakeMillis the time from the shutdown to the end of the last call
 * @param bytesAfter what is left of one after all have ended
 */
public record VirtualSleepers(int calls, double bytes, double bytesOfThread, int platformThreads, long wakeMillis,
		double bytesAfter) {

	/**
	 * Return whether this JDK has virtual threads.
	 * @return true on 21 or later
	 */
	public static boolean arePossible() {
		return Runtime.version().feature() >= 21;
	}

	/**
	 * Measure.
	 * @param calls how many calls sleep at once
	 * @return what they cost
	 * @throws InterruptedException if interrupted
	 */
	public static VirtualSleepers of(int calls) throws InterruptedException {
		run(Math.min(calls, 1_000));
		double bytesOfThread = bare(calls);
		VirtualSleepers measured = run(calls);
		return new VirtualSleepers(calls, measured.bytes, bytesOfThread, measured.platformThreads, measured.wakeMillis,
				measured.bytesAfter);
	}

	private static double bare(int threads) throws InterruptedException {
		CountDownLatch asleep = new CountDownLatch(threads);
		CountDownLatch wake = new CountDownLatch(1);
		CountDownLatch ended = new CountDownLatch(threads);
		long before = Heap.used();
		for (int i = 0; i < threads; i++) {
			start(() -> {
				asleep.countDown();
				awaitCalmly(wake);
				ended.countDown();
			});
		}
		asleep.await();
		TimeUnit.MILLISECONDS.sleep(200);
		long during = Heap.used();
		wake.countDown();
		ended.await();
		return (during - before) / (double) threads;
	}

	private static void awaitCalmly(CountDownLatch latch) {
		try {
			latch.await(1, TimeUnit.HOURS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static VirtualSleepers run(int calls) throws InterruptedException {
		CallRegistry waiting = new CallRegistry();
		Retry retry = Retry
			.builder(RetryPolicy.builder("sleeping")
				.base(Duration.ofHours(2))
				.cap(Duration.ofHours(2))
				.jitter(Jitter.equal())
				.retryOn(IllegalStateException.class)
				.build())
			.calls(waiting)
			.build();
		CountDownLatch ended = new CountDownLatch(calls);
		long before = Heap.used();
		int threadsBefore = Thread.getAllStackTraces().size();
		for (int i = 0; i < calls; i++) {
			start(() -> {
				sleepInACall(retry);
				ended.countDown();
			});
		}
		while (waiting.waiting() < calls) {
			TimeUnit.MILLISECONDS.sleep(10);
		}
		TimeUnit.MILLISECONDS.sleep(200);
		int threads = Thread.getAllStackTraces().size() - threadsBefore;
		long during = Heap.used();
		long shutDown = System.nanoTime();
		waiting.shutDown();
		ended.await();
		long wake = System.nanoTime() - shutDown;
		return new VirtualSleepers(calls, (during - before) / (double) calls, 0, threads,
				TimeUnit.NANOSECONDS.toMillis(wake), (Heap.used() - before) / (double) calls);
	}

	private static void sleepInACall(Retry retry) {
		try {
			retry.call(() -> {
				throw new IllegalStateException("down");
			});
			throw new AssertionError("The call did not fail");
		}
		catch (IllegalStateException ex) {
			// woken by the shutdown, as meant
		}
	}

	/* By reflection, since this is compiled for a JDK without them. */
	private static void start(Runnable work) {
		try {
			Method starting = Thread.class.getMethod("startVirtualThread", Runnable.class);
			starting.invoke(null, work);
		}
		catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException ex) {
			throw new IllegalStateException("No virtual threads before JDK 21", ex);
		}
	}

}
