package dev.backoff.time;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.RetryTime.TimerEntry;

/** Entries by their due times, the nearest first. Not thread-safe. */
final class TimerQueue {

	/*
	 * A heap with four children to a parent, in two arrays: the due times stand side by
	 * side, so that those of four siblings are read at once. Each entry knows its place,
	 * so that it is taken out without being looked for. (D. B. Johnson, "Priority queues
	 * with update and finding minimum spanning trees", 1975.)
	 *
	 * Due times are readings of a ticker that may wrap and are compared by difference;
	 * they must lie within half of its range of each other.
	 */

	private static final int CHILDREN = 4;

	private static final int LEAST_CAPACITY = 64;

	private long[] dues = new long[LEAST_CAPACITY];

	private @Nullable TimerEntry[] entries = new @Nullable TimerEntry[LEAST_CAPACITY];

	private int size;

	int size() {
		return this.size;
	}

	/** Return how many entries there is room for. */
	int capacity() {
		return this.dues.length;
	}

	/** Return the nearest due time. */
	long due() {
		return this.dues[0];
	}

	/** Add an entry that is in no queue. */
	void add(TimerEntry entry, long due) {
		if (this.size == this.dues.length) {
			// by a quarter, since free places cost memory too
			resize(this.size + this.size / 4);
		}
		rise(this.size, entry, due);
		this.size++;
	}

	/** Take out the entry that is due at the given reading, or return null. */
	@Nullable TimerEntry pollDue(long now) {
		TimerEntry first = this.entries[0];
		if (first == null || this.dues[0] - now > 0) {
			return null;
		}
		removeAt(0);
		return first;
	}

	/** Take out an entry; return false if it is not in this queue. */
	boolean remove(TimerEntry entry) {
		int position = entry.position;
		if (position < 0 || position >= this.size || this.entries[position] != entry) {
			return false;
		}
		removeAt(position);
		return true;
	}

	private void removeAt(int position) {
		shrink(); // first, so that no entry is lost if there is no memory
		TimerEntry removed = this.entries[position];
		if (removed != null) {
			removed.position = TimerEntry.NOWHERE;
		}
		int last = --this.size;
		TimerEntry moved = this.entries[last];
		long due = this.dues[last];
		this.entries[last] = null;
		if (position != last && moved != null) {
			if (position > 0 && due - this.dues[parent(position)] < 0) {
				rise(position, moved, due);
			}
			else {
				sink(position, moved, due);
			}
		}
	}

	/* Shrink far below the size at which it would grow again. */
	private void shrink() {
		int capacity = this.dues.length;
		if (capacity > LEAST_CAPACITY && this.size <= capacity / 4) {
			resize(Math.max(LEAST_CAPACITY, capacity / 2));
		}
	}

	private void rise(int position, TimerEntry entry, long due) {
		int free = position;
		while (free > 0) {
			int parent = parent(free);
			if (due - this.dues[parent] >= 0) {
				break;
			}
			move(parent, free);
			free = parent;
		}
		put(free, entry, due);
	}

	private void sink(int position, TimerEntry entry, long due) {
		int free = position;
		for (int child = nearestChild(free); child >= 0; child = nearestChild(free)) {
			if (due - this.dues[child] <= 0) {
				break;
			}
			move(child, free);
			free = child;
		}
		put(free, entry, due);
	}

	private static int parent(int position) {
		return (position - 1) / CHILDREN;
	}

	/** Return the child that is due first, negative if there is none. */
	private int nearestChild(int position) {
		long first = (long) CHILDREN * position + 1;
		if (first >= this.size) {
			return -1;
		}
		int nearest = (int) first;
		int end = (int) Math.min(first + CHILDREN, this.size);
		for (int child = nearest + 1; child < end; child++) {
			if (this.dues[child] - this.dues[nearest] < 0) {
				nearest = child;
			}
		}
		return nearest;
	}

	private void move(int from, int to) {
		TimerEntry moved = this.entries[from];
		if (moved != null) {
			put(to, moved, this.dues[from]);
		}
	}

	private void put(int position, TimerEntry entry, long due) {
		this.entries[position] = entry;
		this.dues[position] = due;
		entry.position = position;
	}

	private void resize(int capacity) {
		long[] dues = Arrays.copyOf(this.dues, capacity);
		this.entries = Arrays.copyOf(this.entries, capacity);
		this.dues = dues;
	}

}
