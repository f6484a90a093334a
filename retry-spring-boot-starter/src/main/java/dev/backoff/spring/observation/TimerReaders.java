package dev.backoff.spring.observation;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.pause.NoPauseDetector;
import org.jspecify.annotations.Nullable;

/**
 * Which calls are read off which timer. One timer may be that of several methods, where a
 * filter gives them the same tags, and that of several applications which share a
 * registry: it tells the calls of whoever has it first, and the others take off what they
 * record. Thread-safe.
 */
final class TimerReaders {

	/*
	 * Kept as long as the registry, so nothing in here may refer to it, as timers do that
	 * have exemplars. Whoever records in a timer holds what is read off it, so if that is
	 * gone, nobody does. A timer that is used before anybody reads it has no reader ever.
	 */
	private static final Map<MeterRegistry, Map<Meter.Id, Reference<TimedCalls>>> READ = new WeakHashMap<>();

	private static final Reference<TimedCalls> UNREAD = new WeakReference<>(null);

	private static final Lock LOCK = new ReentrantLock();

	private TimerReaders() {
	}

	/** Read the calls of a method off a timer. */
	@SuppressWarnings("ReferenceEquality") // somebody else may read the same
	static @Nullable TimedCalls read(MeterRegistry registry, Timer timer, Tags tags) {
		if (!(registry.config().pauseDetector() instanceof NoPauseDetector)) {
			// it makes up records of what a pause has delayed
			return null;
		}
		TimedCalls calls = TimedCalls.of(timer, tags);
		return (calls != null && find(registry, timer, calls) == calls) ? calls : null;
	}

	/** Use a timer for attempts; what is read off it goes with it. */
	static AttemptTimer use(MeterRegistry registry, Timer timer) {
		return new AttemptTimer(timer, TimedCalls.isCumulative(timer) ? find(registry, timer, null) : null);
	}

	@SuppressWarnings("ReferenceEquality") // there is one that stands for none
	private static @Nullable TimedCalls find(MeterRegistry registry, Timer timer, @Nullable TimedCalls first) {
		LOCK.lock();
		try {
			Map<Meter.Id, Reference<TimedCalls>> read = READ.computeIfAbsent(registry, (key) -> new HashMap<>());
			Reference<TimedCalls> reference = read.get(timer.getId());
			if (reference == UNREAD) {
				return null;
			}
			TimedCalls known = (reference != null) ? reference.get() : null;
			// a timer that was removed from its registry has another one in its place
			if (known != null && known.isOf(timer)) {
				return known;
			}
			read.put(timer.getId(), (first != null) ? new WeakReference<>(first) : UNREAD);
			return first;
		}
		finally {
			LOCK.unlock();
		}
	}

}
