package dev.backoff.spring.observation;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;

/**
 * Meters of one name that differ in tags with a fixed set of values. A meter is
 * registered at its first use, and found in an array afterwards. Thread-safe: two threads
 * that register one meter get the same one from the registry.
 *
 * @param <M> the type of meter
 */
final class MeterCells<M> {

	/* Asked first: a registration without a registry would allocate at each call. */
	private final GuardedRegistry registry;

	private final AtomicReferenceArray<@Nullable M> cells;

	private final IntFunction<@Nullable M> registration;

	MeterCells(GuardedRegistry registry, int size, IntFunction<@Nullable M> registration) {
		this.registry = registry;
		this.cells = new AtomicReferenceArray<>(size);
		this.registration = registration;
	}

	/** Return the meter of a tag's value, or null if there is no registry yet. */
	@SuppressWarnings("EnumOrdinal") // an index within this process, never stored
	@Nullable M at(Enum<?> value) {
		return at(value.ordinal());
	}

	/** Return the meter with the given index, or null if there is no registry yet. */
	@Nullable M at(int index) {
		M meter = this.cells.get(index);
		if (meter == null && this.registry.isThere()) {
			meter = this.registration.apply(index);
			this.cells.set(index, meter);
		}
		return meter;
	}

}
