package dev.backoff.spring.observation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
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

	/*
	 * Whoever is told of a new meter may call the method that it is of, and would then
	 * register it again and be told again, until the stack is full.
	 */
	private static final Set<Filling> FILLING = ConcurrentHashMap.newKeySet();

	private final AtomicReferenceArray<@Nullable M> cells;

	private final IntFunction<@Nullable M> registration;

	private final GuardedRegistry registry;

	/* How often all cells were emptied. */
	private final AtomicInteger emptied = new AtomicInteger();

	MeterCells(GuardedRegistry registry, int size, IntFunction<@Nullable M> registration) {
		this.registry = registry;
		this.cells = new AtomicReferenceArray<>(size);
		this.registration = registration;
	}

	/** Return the meter of a tag's value, or null if there is none yet. */
	@SuppressWarnings("EnumOrdinal") // an index within this process, never stored
	@Nullable M at(Enum<?> value) {
		return at(value.ordinal());
	}

	/** Return a meter, or null if there is no registry yet or it is being registered. */
	@Nullable M at(int index) {
		M meter = this.cells.get(index);
		return (meter != null) ? meter : fill(index);
	}

	private @Nullable M fill(int index) {
		if (!this.registry.isThere()) {
			return null;
		}
		Filling filling = new Filling(this, index, Thread.currentThread());
		if (!FILLING.add(filling)) {
			return null;
		}
		try {
			int before = this.emptied.get();
			M meter = this.registration.apply(index);
			if (meter != null) {
				this.cells.set(index, meter);
				if (this.emptied.get() != before) {
					this.cells.compareAndSet(index, meter, null);
				}
			}
			return meter;
		}
		finally {
			FILLING.remove(filling);
		}
	}

	/**
	 * Empty all cells, since a registry has lost a meter, so that they are filled anew.
	 */
	void empty() {
		this.emptied.incrementAndGet();
		for (int index = 0; index < this.cells.length(); index++) {
			if (this.cells.get(index) != null) {
				this.cells.set(index, null);
			}
		}
	}

	/**
	 * A thread that fills a cell.
	 *
	 * @param cells where
	 * @param index which one
	 * @param thread who
	 */
	private record Filling(MeterCells<?> cells, int index, Thread thread) {
	}

}
