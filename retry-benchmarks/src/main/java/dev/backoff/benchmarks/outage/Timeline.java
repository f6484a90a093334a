package dev.backoff.benchmarks.outage;

import java.util.concurrent.atomic.AtomicIntegerArray;

/** How many calls and attempts begin in each second. Thread-safe. */
final class Timeline {

	private static final long SECOND = 1_000_000_000;

	private final AtomicIntegerArray calls;

	private final AtomicIntegerArray attempts;

	private volatile long start = System.nanoTime();

	private volatile boolean counting;

	Timeline(int seconds) {
		this.calls = new AtomicIntegerArray(seconds);
		this.attempts = new AtomicIntegerArray(seconds);
	}

	/** Count from now on. */
	void begin() {
		this.start = System.nanoTime();
		this.counting = true;
	}

	void call() {
		count(this.calls);
	}

	void attempt() {
		count(this.attempts);
	}

	private void count(AtomicIntegerArray seconds) {
		if (this.counting) {
			int second = (int) ((System.nanoTime() - this.start) / SECOND);
			seconds.incrementAndGet(Math.min(second, seconds.length() - 1));
		}
	}

	int seconds() {
		return this.calls.length();
	}

	int calls(int second) {
		return this.calls.get(second);
	}

	int attempts(int second) {
		return this.attempts.get(second);
	}

}
