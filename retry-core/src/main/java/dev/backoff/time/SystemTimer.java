package dev.backoff.time;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.RetryTime.Cancellable;
import dev.backoff.time.RetryTime.TimerEntry;

/**
 * A timer with one daemon thread, which is there while something is scheduled and ends
 * soon after. Tasks must be short, since they delay each other; one that throws does no
 * other harm. Thread-safe.
 */
final class SystemTimer {

	/*
	 * The thread parks until the nearest due time, but no longer than it may idle. To
	 * schedule an earlier task wakes it; to cancel one does not. So a timeout that is set
	 * for each call, and that never comes, wakes the thread rarely and not twice a call.
	 */

	/** The timer of the process. */
	static final SystemTimer PROCESS = new SystemTimer(5_000_000_000L);

	/* Due times are compared by difference, also with those that are overdue. */
	private static final long LONGEST = Long.MAX_VALUE / 2;

	private final Object lock = new Object();

	private final TimerQueue queue = new TimerQueue();

	private final long idle;

	private @Nullable Thread thread;

	private long wakeAt;

	/* Whether the queue has been empty since the thread looked last. */
	private boolean idling;

	/** Make a timer whose thread ends after the given time without work. */
	SystemTimer(long idle) {
		this.idle = idle;
	}

	static Cancellable schedule(Runnable task, long nanos) {
		TimerEntry entry = (task instanceof TimerEntry linked) ? linked : new TimerEntry() {

			@Override
			public void run() {
				task.run();
			}

		};
		PROCESS.add(entry, nanos);
		return entry;
	}

	/** Run an entry once after at least the given time. */
	void add(TimerEntry entry, long nanos) {
		long now = System.nanoTime();
		long due = now + Math.max(0, Math.min(nanos, LONGEST));
		Thread woken = null;
		synchronized (this.lock) {
			if (entry.position != TimerEntry.NOWHERE) {
				throw new IllegalStateException(entry + " is scheduled already.");
			}
			if (this.thread == null) {
				this.thread = start();
				this.wakeAt = now;
			}
			this.queue.add(entry, due);
			this.idling = false;
			if (due - this.wakeAt < 0) {
				this.wakeAt = due;
				woken = this.thread;
			}
		}
		LockSupport.unpark(woken);
	}

	/*
	 * It serves all applications of the process and keeps no class of the first one:
	 * before JDK 24 a thread inherits the access control context of all classes on the
	 * stack, unless it is made in a privileged action.
	 */
	@SuppressWarnings("removal")
	private Thread start() {
		Thread thread = AccessController
			.doPrivileged((PrivilegedAction<Thread>) () -> new Thread(null, this::run, "backoff-timer", 0, false));
		thread.setDaemon(true);
		thread.setContextClassLoader(null);
		thread.start();
		return thread;
	}

	/** Take an entry back, if it is scheduled. */
	void remove(TimerEntry entry) {
		synchronized (this.lock) {
			this.queue.remove(entry);
		}
	}

	/** Return how many tasks are scheduled. */
	int pending() {
		synchronized (this.lock) {
			return this.queue.size();
		}
	}

	/** Return the thread, or null while there is none. */
	@Nullable Thread thread() {
		synchronized (this.lock) {
			return this.thread;
		}
	}

	private void run() {
		boolean more = true;
		while (more) {
			try {
				more = runNext();
			}
			catch (Throwable ex) {
				// other tasks still run
			}
		}
	}

	/** Run what is due or wait for it; return false when the thread has to end. */
	private boolean runNext() {
		TimerEntry due;
		long park = 0;
		synchronized (this.lock) {
			long now = System.nanoTime();
			due = this.queue.pollDue(now);
			if (due == null) {
				if (this.queue.size() == 0 && this.idling && now - this.wakeAt >= 0) {
					this.thread = null;
					return false;
				}
				park = untilWake(now);
			}
		}
		if (due != null) {
			try {
				due.run();
			}
			finally {
				// an interrupt flag left behind would end every park at once
				Thread.interrupted();
			}
		}
		else {
			LockSupport.parkNanos(this, park);
		}
		return true;
	}

	private long untilWake(long now) {
		boolean empty = this.queue.size() == 0;
		if (!empty || !this.idling) {
			long longest = now + this.idle;
			this.wakeAt = (empty || longest - this.queue.due() < 0) ? longest : this.queue.due();
		}
		this.idling = empty;
		return this.wakeAt - now;
	}

}
