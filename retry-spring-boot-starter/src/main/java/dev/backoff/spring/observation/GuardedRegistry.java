package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
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
 * Register meters so that a registry, its filters and the way to it may throw what they
 * like. Each failure is told once per meter name, at WARN. Thread-safe, without a lock,
 * for the way to the registry may lead through the application's own locks.
 */
final class GuardedRegistry {

	private static final Logger logger = LoggerFactory.getLogger(MicrometerRecorders.class);

	/** Closed, so that what it registers counts nothing and is kept nowhere. */
	private static final MeterRegistry NOWHERE = new CompositeMeterRegistry();

	static {
		NOWHERE.close();
	}

	private final Supplier<? extends @Nullable MeterRegistry> supplier;

	private final Set<BackoffMeters> refused = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean asked = new AtomicBoolean();

	/* A field, since nobody else keeps it. */
	private final @Nullable Runnable whenLost;

	private volatile @Nullable MeterRegistry registry;

	GuardedRegistry(Supplier<? extends @Nullable MeterRegistry> supplier) {
		this(supplier, null);
	}

	/** Guard a registry that may lose meters. */
	GuardedRegistry(Supplier<? extends @Nullable MeterRegistry> supplier, @Nullable Runnable whenLost) {
		this.supplier = supplier;
		this.whenLost = whenLost;
	}

	/** Ask for the registry again if there was none. */
	void reopen() {
		this.asked.set(false);
	}

	/** Return whether there is a registry; cheap also if there is none. */
	boolean isThere() {
		return open() != null;
	}

	/** Register a meter. */
	<M> @Nullable M register(BackoffMeters meter, Function<MeterRegistry, M> registration) {
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

	@Nullable Timer timer(BackoffMeters meter, List<Duration> slo, String... tagValues) {
		return register(meter, (registry) -> timer(registry, meter, slo, tagValues));
	}

	static Timer timer(MeterRegistry registry, BackoffMeters meter, List<Duration> slo, String... tagValues) {
		Timer.Builder timer = Timer.builder(meter.getName())
			.description(meter.getDescription())
			.tags(meter.tags(tagValues));
		if (!slo.isEmpty()) {
			timer.serviceLevelObjectives(slo.toArray(Duration[]::new));
		}
		return timer.register(registry);
	}

	@Nullable Counter counter(BackoffMeters meter, String... tagValues) {
		return register(meter, (registry) -> {
			Counter.Builder counter = Counter.builder(meter.getName())
				.description(meter.getDescription())
				.tags(meter.tags(tagValues));
			if (!meter.getBaseUnit().isEmpty()) {
				counter.baseUnit(meter.getBaseUnit());
			}
			return counter.register(registry);
		});
	}

	/** Register a gauge. The registry refers to the state weakly: keep it. */
	<S> void gauge(BackoffMeters meter, S state, ToDoubleFunction<S> value, String... tagValues) {
		register(meter,
				(registry) -> Gauge.builder(meter.getName(), state, value)
					.description(meter.getDescription())
					.tags(meter.tags(tagValues))
					.register(registry));
	}

	/**
	 * Register a counter of what somebody else counts. The registry refers to the state
	 * weakly: keep it.
	 */
	<S> void count(BackoffMeters meter, S state, ToDoubleFunction<S> count, String... tagValues) {
		register(meter,
				(registry) -> FunctionCounter.builder(meter.getName(), state, count)
					.description(meter.getDescription())
					.tags(meter.tags(tagValues))
					.register(registry));
	}

	/** Return the registry, or null if there is none; ask for it once until reopened. */
	private @Nullable MeterRegistry open() {
		MeterRegistry open = this.registry;
		if (open != null || this.asked.get()) {
			return open;
		}
		try {
			open = this.supplier.get();
			listen(open);
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

	private void listen(@Nullable MeterRegistry registry) {
		if (registry == null || this.whenLost == null) {
			return;
		}
		try {
			LostMeters.tell(registry, this.whenLost);
		}
		catch (Throwable ex) {
			// what it loses is lost
		}
	}

}
