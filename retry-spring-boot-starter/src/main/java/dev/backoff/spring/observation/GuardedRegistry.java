package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Register meters in a registry that may be missing, and that may throw, as may its
 * filters. One WARN per meter name reports a failure. Thread-safe and without a lock,
 * because the registry is supplied by the application, which may lock too.
 */
final class GuardedRegistry {

	private static final Logger logger = LoggerFactory.getLogger(GuardedRegistry.class);

	/* Closed, so that its meters count nothing and are kept nowhere. */
	private static final MeterRegistry NOWHERE = new CompositeMeterRegistry();

	static {
		NOWHERE.close();
	}

	private final Supplier<? extends @Nullable MeterRegistry> supplier;

	private final Set<BackoffMeters> refused = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean asked = new AtomicBoolean();

	private final Queue<Runnable> ends = new ConcurrentLinkedQueue<>();

	private volatile @Nullable MeterRegistry registry;

	GuardedRegistry(Supplier<? extends @Nullable MeterRegistry> supplier) {
		this.supplier = supplier;
	}

	/** Ask the supplier once more if it had no registry. */
	void reopen() {
		this.asked.set(false);
	}

	boolean isThere() {
		return open() != null;
	}

	/** Return a timer, or null if there is no registry yet. */
	@Nullable Timer timer(BackoffMeters meter, List<Duration> slo, String... tagValues) {
		return register(meter, (registry) -> {
			Timer.Builder timer = Timer.builder(meter.getName())
				.description(meter.getDescription())
				.tags(meter.tags(tagValues));
			if (!slo.isEmpty()) {
				timer.serviceLevelObjectives(slo.toArray(Duration[]::new));
			}
			return timer.register(registry);
		});
	}

	/** Return a counter, or null if there is no registry yet. */
	@Nullable Counter counter(BackoffMeters meter, String... tagValues) {
		return register(meter,
				(registry) -> Counter.builder(meter.getName())
					.description(meter.getDescription())
					.tags(meter.tags(tagValues))
					.register(registry));
	}

	/** Return a counter of this state and those of other contexts. Keep the state. */
	<S> @Nullable FunctionCounter counter(BackoffMeters meter, S state, ToDoubleFunction<S> count,
			String... tagValues) {
		return register(meter, (registry) -> {
			SharedReading reading = SharedReading.of(registry, meter, Double::sum, tagValues);
			FunctionCounter counter = FunctionCounter.builder(meter.getName(), reading, SharedReading::value)
				.description(meter.getDescription())
				.tags(meter.tags(tagValues))
				.register(registry);
			if (reading.add(state, count)) {
				this.ends.add(() -> reading.remove(state, true));
			}
			return counter;
		});
	}

	/** Return a gauge of the sum of this and other contexts' states. Keep the state. */
	<S> @Nullable Gauge gauge(BackoffMeters meter, S state, ToDoubleFunction<S> value, String... tagValues) {
		return gauge(meter, state, value, Double::sum, tagValues);
	}

	/** Return a gauge of the greatest of this and other contexts' states. */
	<S> @Nullable Gauge greatest(BackoffMeters meter, S state, ToDoubleFunction<S> value, String... tagValues) {
		return gauge(meter, state, value, Math::max, tagValues);
	}

	private <S> @Nullable Gauge gauge(BackoffMeters meter, S state, ToDoubleFunction<S> value,
			DoubleBinaryOperator merge, String... tagValues) {
		return register(meter, (registry) -> {
			SharedReading reading = SharedReading.of(registry, meter, merge, tagValues);
			Gauge gauge = Gauge.builder(meter.getName(), reading, SharedReading::value)
				.description(meter.getDescription())
				.tags(meter.tags(tagValues))
				.register(registry);
			if (reading.add(state, value)) {
				this.ends.add(() -> {
					if (reading.remove(state, false)) {
						SharedReading.forget(registry, meter, tagValues);
						registry.remove(gauge);
					}
				});
			}
			return gauge;
		});
	}

	/** Read the states no more: a gauge goes with its last state, counts stay. */
	void close() {
		for (Runnable end = this.ends.poll(); end != null; end = this.ends.poll()) {
			try {
				end.run();
			}
			catch (RuntimeException ex) {
				logger.debug("Cannot take a meter out of its registry", ex);
			}
		}
	}

	/* A refused meter is replaced by one that counts nothing. */
	private <M> @Nullable M register(BackoffMeters meter, Function<MeterRegistry, M> registration) {
		MeterRegistry open = open();
		if (open == null) {
			return null;
		}
		try {
			return registration.apply(open);
		}
		catch (Throwable ex) {
			if (this.refused.add(meter)) {
				logger.warn("Dropped meter {}, which the registry refused", meter.getName(), ex);
			}
			return registration.apply(NOWHERE);
		}
	}

	private @Nullable MeterRegistry open() {
		MeterRegistry open = this.registry;
		if (open != null || this.asked.get()) {
			return open;
		}
		try {
			open = this.supplier.get();
			this.registry = open;
			this.asked.set(true);
		}
		catch (Throwable ex) {
			if (this.asked.compareAndSet(false, true)) {
				logger.warn("Found no meter registry; without it, calls have no meters", ex);
			}
		}
		return open;
	}

	/**
	 * Meters of one name, one for each key. A meter is registered at its first use, and
	 * found in an array afterwards. Thread-safe: two threads that register one meter get
	 * the same one from the registry.
	 *
	 * @param <M> the type of meter
	 */
	static final class Cells<K extends Enum<K>, M> {

		/* Asked first: a registration without a registry would allocate at each call. */
		private final GuardedRegistry registry;

		private final AtomicReferenceArray<@Nullable M> cells;

		private final Function<K, @Nullable M> registration;

		Cells(GuardedRegistry registry, Class<K> keys, Function<K, @Nullable M> registration) {
			this.registry = registry;
			this.cells = new AtomicReferenceArray<>(keys.getEnumConstants().length);
			this.registration = registration;
		}

		/** Return the meter of a key, or null if there is no registry yet. */
		@SuppressWarnings("EnumOrdinal") // an index within this process, never stored
		@Nullable M at(K key) {
			M meter = this.cells.get(key.ordinal());
			if (meter == null && this.registry.isThere()) {
				meter = this.registration.apply(key);
				this.cells.set(key.ordinal(), meter);
			}
			return meter;
		}

	}

}
