package dev.backoff.key;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.RetryTime;

/**
 * Values by key, each made when its key is asked for, at most {@value #MOST}. A new key
 * takes the place of one that was not used lately, and those unused for ten minutes go.
 * Busy values stay. Thread-safe; a known key takes no lock and no clock.
 *
 * @param <V> the type of the values
 * @since 0.1
 */
public final class KeyTable<V> {

	/** The greatest number of keys. */
	public static final int MOST = 1_000;

	private static final long IDLE = 600_000_000_000L;

	/* So that idle keys go soon enough where keys are added rarely. */
	private static final int LOOKS = 16;

	/* To find that all are busy costs as much as many calls. */
	private static final long FULL_FOR = 1_000_000_000;

	private final RetryTime time;

	private final Supplier<V> maker;

	private final BiPredicate<? super V, Boolean> busy;

	private final Map<Object, Slot<V>> slots = new ConcurrentHashMap<>();

	private final LongAdder evicted = new LongAdder();

	private final LongAdder idle = new LongAdder();

	private final LongAdder overflowed = new LongAdder();

	/* The hand of a clock, which passes a slot that was used since it came by. */
	private Iterator<Slot<V>> hand = this.slots.values().iterator();

	private long fullSince;

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
		this.fullSince = time.nanoTime() - FULL_FOR;
	}

	/**
	 * Return the slot of a key, added if it is new.
	 * @param key with {@code equals} and {@code hashCode}
	 * @return the slot, or null if all values are busy
	 */
	public @Nullable Slot<V> slot(Object key) {
		Slot<V> known = this.slots.get(key);
		return (known != null && known.use()) ? known : add(key, this.time.nanoTime());
	}

	private synchronized @Nullable Slot<V> add(Object key, long now) {
		Slot<V> slot = this.slots.get(key);
		if (slot == null && hasRoom(now)) {
			slot = new Slot<>(this.maker.get(), now);
			this.slots.put(key, slot);
		}
		if (slot == null) {
			this.overflowed.increment();
		}
		return slot;
	}

	/* Where there is none, within two rounds: in the first, all may have been used. */
	private boolean hasRoom(long now) {
		boolean full = this.slots.size() >= MOST;
		int looks = !full ? Math.min(LOOKS, this.slots.size()) : (now - this.fullSince < FULL_FOR) ? 0 : 2 * MOST;
		for (int look = 0; look < looks; look++) {
			if (!this.hand.hasNext()) {
				this.hand = this.slots.values().iterator();
			}
			if (isDropped(this.hand.next(), full, now) && full) {
				return true;
			}
		}
		this.fullSince = (looks > LOOKS) ? now : this.fullSince;
		return !full;
	}

	private boolean isDropped(Slot<V> slot, boolean full, long now) {
		boolean idle = now - slot.used >= IDLE;
		if (slot.touched) {
			slot.touched = false;
			slot.used = now;
		}
		else if ((idle || full) && !this.busy.test(slot.value, idle)) {
			slot.removed = true;
			this.hand.remove();
			(idle ? this.idle : this.evicted).increment();
		}
		return slot.removed;
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
	 * {@return how often a key got no slot}
	 */
	public long overflowed() {
		return this.overflowed.sum();
	}

	/**
	 * The place of a key. Thread-safe.
	 *
	 * @param <V> the type of the value
	 */
	public static final class Slot<V> {

		private final V value;

		/* Written by calls without a barrier, since an old reading does no harm. */
		private boolean touched = true;

		/* When the hand last found it touched. */
		private long used;

		private volatile boolean removed;

		private Slot(V value, long now) {
			this.value = value;
			this.used = now;
		}

		/**
		 * {@return the value of the key}
		 */
		public V value() {
			return this.value;
		}

		/**
		 * {@return whether the key still has the value, which is used now}
		 */
		public boolean use() {
			if (!this.touched) {
				this.touched = true;
			}
			return !this.removed;
		}

	}

}
