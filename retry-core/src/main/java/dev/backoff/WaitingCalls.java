package dev.backoff;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.RetryTime;
import dev.backoff.time.TimerEntry;
import dev.backoff.time.WakeSignal;

/**
 * The calls that wait for their next attempt, so that they can be woken when the
 * application shuts down: their calls then end as {@link StopReason#SHUTDOWN} with the
 * last real failure, and no call is retried any more. First attempts still pass. Shared
 * by the retries of one application; thread-safe.
 *
 * @since 0.1
 */
public final class WaitingCalls {

	/*
	 * A ring of the waiters themselves, so that one more needs no more memory. Nothing
	 * that was handed in runs under the lock.
	 */

	private final ReentrantLock lock = new ReentrantLock();

	private final Waiter ring = new Sleeper();

	private int count;

	private volatile boolean shutDown;

	/**
	 * Make one in which nothing waits.
	 */
	public WaitingCalls() {
		this.ring.previous = this.ring;
		this.ring.next = this.ring;
	}

	/**
	 * Sleep for the given time, or until the shutdown.
	 * @throws InterruptedException if the thread is interrupted
	 */
	void await(RetryTime time, long nanos) throws InterruptedException {
		if (nanos <= 0) {
			time.sleep(nanos);
			return;
		}
		Sleeper sleeper = new Sleeper();
		enter(sleeper);
		try {
			time.sleep(nanos, sleeper.signal);
		}
		finally {
			leave(sleeper);
		}
	}

	/** Note that a call waits; after the shutdown it is woken at once. */
	void enter(Waiter waiter) {
		this.lock.lock();
		try {
			waiter.linkBefore(this.ring);
			this.count++;
		}
		finally {
			this.lock.unlock();
		}
		// looked at after the waiter can be seen, or it might miss both
		if (this.shutDown) {
			waiter.wake();
		}
	}

	/** Note that a call waits no more; again does nothing. */
	void leave(Waiter waiter) {
		this.lock.lock();
		try {
			if (waiter.unlink()) {
				this.count--;
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Wake all that wait, now and from now on. Doing it again does nothing.
	 */
	public void shutDown() {
		this.shutDown = true;
		waiting().forEach(Waiter::wake);
	}

	/**
	 * Wake all that wait, now and from now on, and return when the asynchronous ones
	 * among them have ended. Each of those has a recovery, perhaps a slow one, so they
	 * end on the executor and on this thread at once.
	 * @param executor helps; what it refuses, or does not come to, is done on this thread
	 */
	public void shutDown(Executor executor) {
		this.shutDown = true;
		List<Runnable> ends = new ArrayList<>();
		for (Waiter waiter : waiting()) {
			if (waiter instanceof Sleeper) {
				waiter.wake();
			}
			else {
				ends.add(waiter::wake);
			}
		}
		new SharedTasks(ends).run(executor);
	}

	private List<Waiter> waiting() {
		this.lock.lock();
		try {
			List<Waiter> waiting = new ArrayList<>(this.count);
			for (Waiter waiter = this.ring.next; waiter != null && waiter != this.ring; waiter = waiter.next) {
				waiting.add(waiter);
			}
			return waiting;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Return whether waits have ended for good.
	 * @return true after {@link #shutDown()}
	 */
	public boolean isShutDown() {
		return this.shutDown;
	}

	/**
	 * Return how many calls wait now.
	 * @return zero or more
	 */
	public int count() {
		this.lock.lock();
		try {
			return this.count;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public String toString() {
		return "WaitingCalls (" + count() + (this.shutDown ? ", shut down)" : ")");
	}

	/**
	 * One that waits, and can be an entry of the timer besides.
	 */
	abstract static class Waiter extends TimerEntry {

		/* Of those that wait, under their lock; null when it does not. */
		private @Nullable Waiter previous;

		private @Nullable Waiter next;

		/** End the wait before its time. It throws nothing, and only the first counts. */
		abstract void wake();

		private void linkBefore(Waiter ring) {
			Waiter last = ring.previous;
			if (last == null || this.next != null) {
				throw new IllegalStateException("It waits already.");
			}
			this.previous = last;
			this.next = ring;
			last.next = this;
			ring.previous = this;
		}

		private boolean unlink() {
			Waiter before = this.previous;
			Waiter after = this.next;
			if (before == null || after == null) {
				return false;
			}
			before.next = after;
			after.previous = before;
			this.previous = null;
			this.next = null;
			return true;
		}

	}

	/** A thread that sleeps. */
	private static final class Sleeper extends Waiter {

		private final WakeSignal signal = new WakeSignal();

		@Override
		public void run() {
			wake();
		}

		@Override
		void wake() {
			this.signal.raise();
		}

	}

}
