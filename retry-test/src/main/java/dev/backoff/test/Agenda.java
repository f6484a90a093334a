package dev.backoff.test;

import java.util.Comparator;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/** What is going to happen, the next first. Not thread-safe. */
final class Agenda {

	private final TreeSet<Entry> entries = new TreeSet<>(
			Comparator.comparingLong(Entry::due).thenComparingLong(Entry::order));

	/* Those that are not awaited. */
	private final TreeSet<Entry> timeouts = new TreeSet<>(
			Comparator.comparingLong(Entry::realDue).thenComparingLong(Entry::order));

	private long order;

	Entry add(long due, long realDue, BusyCalls.@Nullable Call call, boolean awaited, Runnable task) {
		Entry entry = new Entry(due, realDue, this.order++, call, awaited, task);
		this.entries.add(entry);
		if (!awaited) {
			this.timeouts.add(entry);
		}
		return entry;
	}

	/** Take an entry out; return false if it is not there. */
	boolean remove(Entry entry) {
		this.timeouts.remove(entry);
		return this.entries.remove(entry);
	}

	/** Return the entry that happens next, or null. */
	@Nullable Entry first() {
		return this.entries.isEmpty() ? null : this.entries.first();
	}

	/** Return whether a call or a thread waits for one of the entries. */
	boolean isAwaited() {
		return this.entries.size() > this.timeouts.size();
	}

	/** Return the real time at which the first entry without a waiting call happens. */
	long firstTimeout() {
		return this.timeouts.isEmpty() ? Long.MAX_VALUE : this.timeouts.first().realDue();
	}

	/**
	 * What happens at one moment.
	 *
	 * @param due the reading of the clock
	 * @param realDue the reading of the system's ticker
	 * @param order how many were added before
	 * @param call that waits for it, or that it is about, or null
	 * @param awaited whether a call or a thread waits for it
	 * @param task what happens
	 */
	record Entry(long due, long realDue, long order, BusyCalls.@Nullable Call call, boolean awaited, Runnable task) {
	}

}
