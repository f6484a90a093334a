package dev.backoff.spring.observation;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;

/**
 * Meters of one name that differ in tags of closed vocabularies, one cell each, filled
 * when first used. Finding a filled one is a read of an array. Thread-safe: two threads
 * that fill one cell register one meter, since registries return what is there.
 *
 * @param <M> the type of meter
 */
final class MeterCells<M> {

	private final AtomicReferenceArray<@Nullable M> cells;

	private final IntFunction<@Nullable M> registration;

	private final GuardedRegistry registry;

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

	/** Return a meter, or null if there is no registry yet. */
	@Nullable M at(int index) {
		M meter = this.cells.get(index);
		return (meter != null) ? meter : fill(index);
	}

	private @Nullable M fill(int index) {
		if (!this.registry.isThere()) {
			return null;
		}
		M meter = this.registration.apply(index);
		if (meter != null) {
			this.cells.set(index, meter);
		}
		return meter;
	}

}
