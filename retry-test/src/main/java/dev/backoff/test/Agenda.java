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

	private static final Comparator<Entry> ORDER = Comparator.comparingLong((Entry entry) -> entry.due)
		.thenComparingLong((entry) -> entry.number);

	private final CallsAtWork calls;

	private final TreeSet<Entry> entries = new TreeSet<>(ORDER);

	/* What threads that advance are to run. */
	private final TreeSet<Entry> jobs = new TreeSet<>(ORDER);

	private static final long STOPS = Long.MAX_VALUE / 2;

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
		return add(new Entry(due, this.added++, nanos, call, sleeping || waiting, sleeping ? here : null, task));
	}

	/** Add the wait of a thread that advances: to the given time, or to a job before. */
	Entry addStop(long last) {
		long due = this.jobs.isEmpty() ? last : Math.min(last, this.jobs.first().due);
		// after all that is due at its moment
		return add(new Entry(due, STOPS + this.added++, last, this.calls.workingHere(), true, this.calls.here(), null));
	}

	private Entry add(Entry entry) {
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

	/** Add a job; threads that advance to a later moment look for it. */
	void addJob(long due, Runnable job) {
		this.jobs.add(new Entry(due, this.added++, 0, null, false, null, job));
		List.copyOf(this.entries).stream().filter((entry) -> entry.isStop() && entry.due > due).forEach(this::remove);
	}

	/** Take the first job that is due by then, or null. */
	@Nullable Runnable takeJob(long reading) {
		boolean due = !this.jobs.isEmpty() && this.jobs.first().due <= reading;
		return due ? this.jobs.pollFirst().task : null;
	}

	void clearJobs() {
		this.jobs.clear();
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
		return this.entries.stream().filter((entry) -> entry.sleeper != null && !entry.isStop()).toList();
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

	/** Return whether a thread advances the clock. */
	boolean isAdvancing() {
		return this.entries.stream().anyMatch(Entry::isStop);
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

	/**
	 * Count real time for the timeouts of attempts, due before all threads have advanced.
	 */
	void timeOut(long nanos, long least) {
		long last = this.entries.stream()
			.filter(Entry::isStop)
			.mapToLong((stop) -> stop.nanos)
			.min()
			.orElse(Long.MAX_VALUE);
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

		final long due;

		/* Decides at equal times. */
		private final long number;

		/* After it was added, or where the thread that advances will end. */
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

		/**
		 * Wait until it is taken out, or for so long in real time; an interrupt waits
		 * too.
		 */
		void await(long atMost) {
			long began = System.nanoTime();
			boolean interrupted = false;
			while (!this.taken && System.nanoTime() - began < atMost) {
				LockSupport.parkNanos(this, atMost);
				interrupted |= Thread.interrupted();
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}

		private boolean isStop() {
			return this.number >= STOPS;
		}

		private boolean isInterrupted() {
			return this.sleeper != null && !isStop() && (this.interrupted || this.sleeper.thread.isInterrupted());
		}

	}

}
