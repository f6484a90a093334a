package dev.backoff.benchmarks.durable;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What attempts have done, counted in the same way for both sides. Thread-safe. */
final class Made {

	private final int expected;

	private final AtomicInteger count = new AtomicInteger();

	private final CountDownLatch all = new CountDownLatch(1);

	private final List<Double> lateMillis = new CopyOnWriteArrayList<>();

	private volatile long first;

	private volatile long last;

	Made(int expected) {
		this.expected = expected;
	}

	/** Note an attempt. */
	void one() {
		int made = this.count.incrementAndGet();
		if (made == 1) {
			this.first = System.nanoTime();
		}
		if (made == this.expected) {
			this.last = System.nanoTime();
			this.all.countDown();
		}
	}

	/** Note an attempt that was due at the given reading. */
	void late(long due) {
		this.lateMillis.add((System.nanoTime() - due) / 1e6);
	}

	/** Wait for all attempts; return how many were made in a second. */
	double perSecond() throws InterruptedException {
		if (!this.all.await(10, TimeUnit.MINUTES)) {
			throw new IllegalStateException("Only " + this.count + " of " + this.expected + " calls were made.");
		}
		return (this.expected - 1) * 1e9 / (this.last - this.first);
	}

	/** Return the times in milliseconds, in order. */
	List<Double> lateMillis() {
		return this.lateMillis.stream().sorted().toList();
	}

}
