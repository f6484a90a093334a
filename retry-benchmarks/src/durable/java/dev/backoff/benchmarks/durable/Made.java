package dev.backoff.benchmarks.durable;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What attempts have done, counted in the same way for both sides. Thread-safe. */
final class Made {

	private final int expected;

	private final AtomicInteger count = new AtomicInteger();

	private final CountDownLatch all = new CountDownLatch(1);

	/*
	 * When attempts have begun, and when their calls were committed, by their due times.
	 */
	private final Map<Long, Long> begun = new ConcurrentHashMap<>();

	private final Map<Long, Long> committed = new ConcurrentHashMap<>();

	private volatile long first;

	private volatile long last;

	Made(int expected) {
		this.expected = expected;
	}

	/** Note an attempt, whose argument must be there. */
	void one(String order) {
		Objects.requireNonNull(order);
		int made = this.count.incrementAndGet();
		if (made == 1) {
			this.first = System.nanoTime();
		}
		if (made == this.expected) {
			this.last = System.nanoTime();
			this.all.countDown();
		}
	}

	/** Note an attempt that was due at the given reading, another one for each call. */
	void late(long due) {
		this.begun.putIfAbsent(due, System.nanoTime());
	}

	/** Note the commit of the call that was due at the given reading. */
	void committed(long due) {
		this.committed.put(due, System.nanoTime());
	}

	/** Wait for all attempts; return how many were made in a second. */
	double perSecond() throws InterruptedException {
		if (!this.all.await(10, TimeUnit.MINUTES)) {
			throw new IllegalStateException("Only " + this.count + " of " + this.expected + " calls were made.");
		}
		return (this.expected - 1) * 1e9 / (this.last - this.first);
	}

	/**
	 * Return the milliseconds since a call was due, or committed if that is known, in
	 * order. An attempt may begin before the thread that commits goes on.
	 */
	List<Double> lateMillis() {
		return this.begun.entrySet()
			.stream()
			.map((one) -> Math.max(0, one.getValue() - this.committed.getOrDefault(one.getKey(), one.getKey())) / 1e6)
			.sorted()
			.toList();
	}

}
