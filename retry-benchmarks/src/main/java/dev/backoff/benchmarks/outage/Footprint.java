package dev.backoff.benchmarks.outage;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

import com.sun.management.GarbageCollectionNotificationInfo;

/** The threads and the heap of this process. */
final class Footprint {

	private static final long SAMPLE_MILLIS = 50;

	private final AtomicLong peakHeap = new AtomicLong();

	private final AtomicInteger peakThreads = new AtomicInteger();

	/** Begin to look for the greatest values. */
	void watch() {
		for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
			if (collector instanceof NotificationEmitter emitter) {
				emitter.addNotificationListener((notification, handback) -> collected(notification.getUserData()), null,
						null);
			}
		}
		Thread sampler = new Thread(this::sample, "footprint");
		sampler.setDaemon(true);
		sampler.start();
	}

	private void collected(Object data) {
		if (data instanceof CompositeData composite) {
			long used = GarbageCollectionNotificationInfo.from(composite)
				.getGcInfo()
				.getMemoryUsageAfterGc()
				.values()
				.stream()
				.mapToLong(MemoryUsage::getUsed)
				.sum();
			this.peakHeap.accumulateAndGet(used - nonHeap(composite), Math::max);
		}
	}

	/* What a collection reports includes pools that are no heap, such as classes. */
	private static long nonHeap(CompositeData composite) {
		return ManagementFactory.getMemoryPoolMXBeans()
			.stream()
			.filter((pool) -> pool.getType() == java.lang.management.MemoryType.NON_HEAP)
			.mapToLong((pool) -> usedAfter(composite, pool.getName()))
			.sum();
	}

	private static long usedAfter(CompositeData composite, String pool) {
		MemoryUsage usage = GarbageCollectionNotificationInfo.from(composite)
			.getGcInfo()
			.getMemoryUsageAfterGc()
			.get(pool);
		return (usage != null) ? usage.getUsed() : 0;
	}

	private void sample() {
		try {
			while (true) {
				this.peakThreads.accumulateAndGet(threads(), Math::max);
				Thread.sleep(SAMPLE_MILLIS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Forget the greatest values so far. */
	void reset() {
		this.peakHeap.set(0);
		this.peakThreads.set(0);
	}

	/** Return the greatest heap in use after any collection, in bytes. */
	long peakHeap() {
		return this.peakHeap.get();
	}

	int peakThreads() {
		return this.peakThreads.get();
	}

	static int threads() {
		return ManagementFactory.getThreadMXBean().getThreadCount();
	}

	/** Return the heap in use after a collection, in bytes. */
	static long heap() {
		System.gc();
		System.gc();
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

}
