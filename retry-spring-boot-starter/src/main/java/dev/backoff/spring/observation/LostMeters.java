package dev.backoff.spring.observation;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Tell those who keep meters of a registry when it has lost one of ours, as tests do that
 * clear it. A registry keeps its listeners for ever, so it gets one for all applications
 * that ever use it, which keeps none of them alive. Thread-safe.
 */
final class LostMeters {

	private static final String OURS = "backoff.";

	/* Nobody in here is kept: who keeps meters refers to the registry. */
	private static final Map<MeterRegistry, Set<Runnable>> KEEPERS = new WeakHashMap<>();

	private static final Lock LOCK = new ReentrantLock();

	private LostMeters() {
	}

	/** Run something when a registry has lost a meter of ours. */
	static void tell(MeterRegistry registry, Runnable keeper) {
		Set<Runnable> keepers;
		boolean first;
		LOCK.lock();
		try {
			first = !KEEPERS.containsKey(registry);
			keepers = KEEPERS.computeIfAbsent(registry, (key) -> Collections.newSetFromMap(new WeakHashMap<>()));
			keepers.add(keeper);
		}
		finally {
			LOCK.unlock();
		}
		if (first) {
			registry.config().onMeterRemoved((meter) -> lost(meter, keepers));
		}
	}

	/* By whatever name a filter has given it, if that says whose it is. */
	private static void lost(Meter meter, Set<Runnable> keepers) {
		if (meter.getId().getName().contains(OURS)) {
			copy(keepers).forEach(Runnable::run);
		}
	}

	private static List<Runnable> copy(Set<Runnable> keepers) {
		LOCK.lock();
		try {
			return List.copyOf(keepers);
		}
		finally {
			LOCK.unlock();
		}
	}

}
