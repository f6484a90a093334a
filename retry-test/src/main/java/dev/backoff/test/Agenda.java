package dev.backoff.test;

import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.Nanos;

/**
 * What is to happen in virtual time, and which call waits for it. Used under the lock of
 * the clock.
 */
final class Agenda {

	private final BusyCalls calls;

	private final TreeSet<Entry> entries = new TreeSet<>(
			Comparator.comparingLong(Entry::due).thenComparingLong(Entry::number));

	private long added;

	Agenda(BusyCalls calls) {
		this.calls = calls;
	}

	/**
	 * Add what the current thread waits for, what a call waits for that has told so on
	 * this thread, or the timeout of its attempt.
	 */
	Entry add(long due, long nanos, boolean sleeping, Runnable task) {
		Recording latest = this.calls.latest.get();
		boolean waiting = latest != null && latest.waits();
		Recording call = (sleeping && !waiting) ? this.calls.open.get() : isTimeoutOf(latest) ? latest : null;
		Entry entry = new Entry(due, this.added++, call, sleeping || waiting, sleeping, waiting && latest.isInQueue(),
				task, Nanos.plus(System.nanoTime(), Math.max(0, nanos)));
		this.entries.add(entry);
		if (entry.awaited()) {
			this.calls.goesOn(call, 1);
		}
		if (sleeping && call != null) {
			call.thread = Thread.currentThread();
		}
		return entry;
	}

	/* Keepers of calls schedule too, outside attempts. */
	private boolean isTimeoutOf(@Nullable Recording latest) {
		return latest != null && latest.ended == null && (latest.key == null || latest == this.calls.open.get());
	}

	void addJob(long due, Runnable job) {
		this.entries.add(new Entry(due, this.added++, null, false, false, false, job, 0));
	}

	void remove(Entry entry) {
		if (this.entries.remove(entry) && entry.awaited()) {
			this.calls.goesOn(entry.call(), -1);
		}
	}

	/** Remove the first entry and return it if it is due by then. */
	@Nullable Entry takeDue(long reading) {
		if (nextDue() > reading || isEmpty()) {
			return null;
		}
		Entry first = this.entries.first();
		remove(first);
		return first;
	}

	List<Entry> removeSleeping() {
		List<Entry> sleeping = this.entries.stream().filter(Entry::sleeping).toList();
		sleeping.forEach(this::remove);
		if (sleeping.stream().anyMatch((entry) -> entry.call() == null)) {
			this.calls.disturb();
		}
		return sleeping;
	}

	void clear() {
		this.entries.clear();
	}

	boolean isEmpty() {
		return this.entries.isEmpty();
	}

	boolean isFirst(Entry entry) {
		return entry.equals(this.entries.first());
	}

	long nextDue() {
		return isEmpty() ? Long.MAX_VALUE : this.entries.first().due();
	}

	boolean isAnyAwaited() {
		return this.entries.stream().anyMatch(Entry::awaited);
	}

	/**
	 * Return whether the clock would be carried past work: all that wait are in the queue
	 * for a permit, and so wait for a call that works, or a timeout is next.
	 */
	boolean passesWork(long reading) {
		return endsWork(reading) || (this.calls.anyBusy() != null
				&& this.entries.stream().noneMatch((entry) -> entry.awaited() && !entry.queued()));
	}

	/**
	 * Return whether the clock would be carried past the timeout of an attempt that
	 * works. A thread that sleeps for no call may do that, since it may be the stub that
	 * the attempt waits for.
	 */
	private boolean endsWork(long reading) {
		for (Entry entry : this.entries) {
			if (entry.due() > reading) {
				return false;
			}
			if (busy(entry) != null) {
				return this.entries.stream().noneMatch((other) -> other.sleeping() && other.call() == null);
			}
		}
		return false;
	}

	/**
	 * Return when the timeout of an attempt that works is due in real time, since the
	 * clock stands while it works. Not before the patience ends, since loading classes
	 * takes time too.
	 */
	long timeoutIn(long patience) {
		long soonest = Long.MAX_VALUE;
		for (Entry entry : this.entries) {
			Recording busy = busy(entry);
			if (busy != null) {
				long left = Math.max(entry.real() - System.nanoTime(), this.calls.busyFor(busy, patience));
				soonest = Math.min(soonest, left);
			}
		}
		return soonest;
	}

	/** Return the call that works under a timeout, or null. */
	private @Nullable Recording busy(Entry timeout) {
		Recording call = timeout.call();
		return (!timeout.awaited() && call != null) ? this.calls.busyWithin(call) : null;
	}

	/**
	 * What happens at one moment: for a call that waits, perhaps in the queue for a permit,
	 * for a thread that sleeps, or to a call that works.
	 *
	 * @param number decides at equal times
	 * @param real when it is due by the system's ticker
	 */
	record Entry(long due, long number, @Nullable Recording call, boolean awaited, boolean sleeping, boolean queued,
			Runnable task, long real) {
	}

}
