package dev.backoff.benchmarks.waiting;

import java.lang.management.ManagementFactory;

/** What is reachable, in bytes. */
final class Heap {

	private static final int COLLECTIONS = 3;

	private Heap() {
	}

	/**
	 * Collect what is not reachable and return the size of the rest, the least of some.
	 */
	static long used() {
		long least = Long.MAX_VALUE;
		for (int i = 0; i < COLLECTIONS; i++) {
			System.gc();
			least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
		}
		return least;
	}

}
