package dev.backoff.test;

import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * What is to happen in virtual time, and which call waits for it. Used under the lock of
 * the clock.
 */
final class Agenda {

	private final CallsAtWork calls;

	private final TreeSet<Entry> entries = new TreeSet<>(
			Comparator.comparingLong((Entry entry) -> entry.due).thenComparingLong((entry) -> entry.number));

	private long added;

	Agenda(CallsAtWork calls) {
		this.calls = calls;
	}

	/**
	 * Add what the current thread waits for, without a task, or else what a call waits
	 * for that has told so on this thread, or the timeout of its attempt.
	 */
	Entry add(long due, long nanos, @Nullable Runnable task) {
		boolean sleeping = task == null;
		CallsAtWork.Here here = this.calls.here();
		Recording latest = here.latest;
		boolean waiting = latest != null && latest.waits();
		Recording call = (sleeping && !waiting) ? this.calls.workingHere() : isTimeoutOf(latest, here) ? latest : null;
		Entry entry = new Entry(due, this.added++, nanos, call, sleeping || waiting, sleeping ? here : null, task);
		this.entries.add(entry);
		if (entry.awaited) {
			waits(entry, 1);
		}
		return entry;
	}

	/* Keepers of calls schedule too, outside attempts. */
	private static boolean isTimeoutOf(@Nullable Recording latest, CallsAtWork.Here here) {
		return latest != null && latest.ended == null && (latest.key == null || latest == here.open);
	}

	private void waits(Entry entry, int times) {
		if (entry.call != null) {
			entry.call.pauses(entry.turn, times);
		}
		if (entry.sleeper != null) {
			entry.sleeper.waits(times);
		}
	}

	void addJob(long due, Runnable job) {
		this.entries.add(new Entry(due, this.added++, 0, null, false, null, job));
	}

	/** Remove an entry, so that its call works; return false if that was done before. */
	boolean remove(Entry entry) {
		if (!this.entries.remove(entry)) {
			return false;
		}
		entry.taken = true;
		if (entry.sleeper != null) {
			LockSupport.unpark(entry.sleeper.thread);
		}
		if (entry.awaited) {
			waits(entry, -1);
		}
		return true;
	}

	/**
	 * Remove the first entry that is due, while calls work of those that are no waits.
	 * The call of a timeout then works until it goes on.
	 */
	@Nullable Entry takeDue(long reading, boolean waits) {
		for (Entry entry : this.entries) {
			if (entry.due > reading) {
				break;
			}
			if (waits || !entry.awaited) {
				remove(entry);
				if (!entry.awaited && entry.call != null) {
					entry.call.timedOut(entry.turn);
				}
				return entry;
			}
		}
		return null;
	}

	List<Entry> sleeping() {
		return this.entries.stream().filter((entry) -> entry.sleeper != null).toList();
	}

	void clear() {
		List.copyOf(this.entries).forEach(this::remove);
	}

	boolean isEmpty() {
		return this.entries.isEmpty();
	}

	long nextDue() {
		return isEmpty() ? Long.MAX_VALUE : this.entries.first().due;
	}

	/**
	 * Return whether the clock moves by itself: to waits, and timeouts that are overdue.
	 */
	boolean isMoving() {
		return this.entries.stream().anyMatch((entry) -> entry.awaited || entry.overdue);
	}

	/** Return whether a thread that sleeps is about to go on, though nothing tells so. */
	boolean isAnyInterrupted() {
		return this.entries.stream().anyMatch(Entry::isInterrupted);
	}

	/** Count real time for the timeouts of attempts that work, due by the given time. */
	void timeOut(long nanos, long least, long last) {
		for (Entry entry : List.copyOf(this.entries)) {
			if (entry.awaited || entry.call == null || entry.due > last) {
				continue;
			}
			List<Recording> busy = this.calls.busyWithin(entry.call);
			entry.worked += busy.isEmpty() ? 0 : nanos;
			if (entry.worked >= Math.max(entry.nanos, least)) {
				entry.overdue = true;
				busy.forEach(Work::overdue);
			}
		}
	}

	/** What happens at one moment. */
	static final class Entry {

		private final long due;

		/* Decides at equal times. */
		private final long number;

		private final long nanos;

		final @Nullable Recording call;

		private final int turn;

		/* Whether a call or a thread waits for it. */
		private final boolean awaited;

		/* The thread that sleeps, or null. */
		final CallsAtWork.@Nullable Here sleeper;

		final @Nullable Runnable task;

		private volatile boolean taken;

		private volatile boolean interrupted;

		/*
		 * How long the attempt has worked, and whether that is longer than its timeout.
		 */
		private long worked;

		private boolean overdue;

		Entry(long due, long number, long nanos, @Nullable Recording call, boolean awaited,
				CallsAtWork.@Nullable Here sleeper, @Nullable Runnable task) {
			this.due = due;
			this.number = number;
			this.nanos = nanos;
			this.call = call;
			this.turn = (call != null) ? call.turn() : 0;
			this.awaited = awaited;
			this.sleeper = sleeper;
			this.task = task;
		}

		/** Sleep until it is taken out or the thread is interrupted; leave the flag. */
		void sleep() {
			Thread thread = Thread.currentThread();
			while (!this.taken && !thread.isInterrupted()) {
				LockSupport.park(this);
			}
			// a thread that waits for a lock has no flag for a while
			this.interrupted = !this.taken;
		}

		private boolean isInterrupted() {
			return this.sleeper != null && (this.interrupted || this.sleeper.thread.isInterrupted());
		}

	}

}
