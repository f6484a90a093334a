package dev.backoff.key;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.RetryTime;

/**
 * Values by key, each made when its key is asked for, at most {@value #MOST}. New keys
 * take the places of those that were not used lately, and those unused for ten minutes
 * go. Busy values stay. Thread-safe; a known key takes no lock and no clock.
 *
 * @param <V> the type of the values
 * @since 0.1
 */
public final class KeyTable<V> {

	/** The greatest number of keys. */
	public static final int MOST = 1_000;

	/* For how many keys one look makes room, since it costs as much as many calls. */
	private static final int ROOM = MOST / 8;

	private static final long SECOND = 1_000_000_000;

	private final RetryTime time;

	private final Supplier<V> maker;

	private final BiPredicate<? super V, Boolean> busy;

	private final Map<Object, Slot<V>> slots = new ConcurrentHashMap<>();

	private final LongAdder evicted = new LongAdder();

	private final LongAdder idle = new LongAdder();

	private final LongAdder overflowed = new LongAdder();

	private long looked;

	private boolean allBusy;

	/**
	 * Make an empty table.
	 * @param time read when a key is added
	 * @param maker makes the value of a key
	 * @param busy whether a value stays, also told whether it was unused for ten minutes
	 */
	public KeyTable(RetryTime time, Supplier<V> maker, BiPredicate<? super V, Boolean> busy) {
		this.time = time;
		this.maker = maker;
		this.busy = busy;
		this.looked = time.nanoTime();
	}

	/**
	 * Return the value of a key, made if the key is new.
	 * @param key with {@code equals} and {@code hashCode}
	 * @return the value, or null if all values are busy
	 */
	public @Nullable V get(Object key) {
		Slot<V> slot = this.slots.get(key);
		slot = (slot != null) ? slot : add(key, this.time.nanoTime());
		if (slot != null && !slot.touched) {
			slot.touched = true;
		}
		return (slot != null) ? slot.value : null;
	}

	private synchronized @Nullable Slot<V> add(Object key, long now) {
		boolean full = this.slots.size() >= MOST;
		// before it is full too, so that then some are known to be unused
		boolean due = full ? !this.allBusy : this.slots.size() % ROOM == 0;
		if (due || now - this.looked >= (full ? SECOND : 60 * SECOND)) {
			look(now);
		}
		Slot<V> slot = this.slots.get(key);
		if (slot == null && this.slots.size() < MOST) {
			slot = new Slot<>(this.maker.get());
			this.slots.put(key, slot);
		}
		if (slot == null) {
			this.overflowed.increment();
		}
		return slot;
	}

	private void look(long now) {
		// each look has a reading of its own, for the order
		this.looked = Math.max(1, now - this.looked) + this.looked;
		this.slots.values().forEach((slot) -> {
			slot.used = slot.touched ? this.looked : slot.used;
			slot.touched = false;
		});
		this.slots.entrySet()
			.stream()
			.filter((slot) -> now - slot.getValue().used >= 600 * SECOND)
			.forEach((slot) -> drop(slot, true));
		if (this.slots.size() >= MOST) {
			this.slots.entrySet()
				.stream()
				.sorted(Comparator.comparingLong((slot) -> slot.getValue().used - this.looked))
				.takeWhile((slot) -> this.slots.size() > MOST - ROOM)
				.forEach((slot) -> drop(slot, false));
		}
		this.allBusy = this.slots.size() >= MOST;
	}

	private void drop(Map.Entry<Object, Slot<V>> slot, boolean idle) {
		if (!this.busy.test(slot.getValue().value, idle)) {
			this.slots.remove(slot.getKey());
			(idle ? this.idle : this.evicted).increment();
		}
	}

	/**
	 * {@return the values by key, a copy}
	 */
	public Map<Object, V> values() {
		return this.slots.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, (slot) -> slot.getValue().value));
	}

	/**
	 * {@return the values of a table, a copy, none of no table}
	 * @param keys the table, or null
	 * @param <V> the type of the values
	 */
	public static <V> Collection<V> valuesOf(@Nullable KeyTable<V> keys) {
		return (keys != null) ? keys.values().values() : List.of();
	}

	/**
	 * {@return how many keys there are}
	 */
	public int size() {
		return this.slots.size();
	}

	/**
	 * {@return how many keys have made room for others}
	 */
	public long evicted() {
		return this.evicted.sum();
	}

	/**
	 * {@return how many keys went unused for ten minutes}
	 */
	public long idle() {
		return this.idle.sum();
	}

	/**
	 * {@return how often a key got no value}
	 */
	public long overflowed() {
		return this.overflowed.sum();
	}

	private static final class Slot<V> {

		private final V value;

		/* Written by calls without a barrier, since an old reading does no harm. */
		private boolean touched = true;

		/* When a look last found it touched. */
		private long used;

		Slot(V value) {
			this.value = value;
		}

	}

}
