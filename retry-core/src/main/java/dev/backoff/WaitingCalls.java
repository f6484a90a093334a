package dev.backoff;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.backoff.time.RetryTime;
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

	private final Set<Waiter> waiting = ConcurrentHashMap.newKeySet();

	private volatile boolean shutDown;

	/**
	 * Sleep for the given time, or until the shutdown.
	 * @throws InterruptedException if the thread is interrupted
	 */
	void await(RetryTime time, long nanos) throws InterruptedException {
		WakeSignal signal = new WakeSignal();
		Waiter waiter = signal::raise;
		enter(waiter);
		try {
			time.sleep(nanos, signal);
		}
		finally {
			leave(waiter);
		}
	}

	/** Note that a call waits; after the shutdown it is woken at once. */
	void enter(Waiter waiter) {
		this.waiting.add(waiter);
		// looked at after the waiter can be seen, or it might miss both
		if (this.shutDown) {
			waiter.wake();
		}
	}

	/** Note that a call waits no more. */
	void leave(Waiter waiter) {
		this.waiting.remove(waiter);
	}

	/**
	 * Wake all that wait, now and from now on. Doing it again does nothing.
	 */
	public void shutDown() {
		this.shutDown = true;
		this.waiting.forEach(Waiter::wake);
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
		return this.waiting.size();
	}

	@Override
	public String toString() {
		return "WaitingCalls (" + count() + (this.shutDown ? ", shut down)" : ")");
	}

	/** What ends a wait before its time, once; it throws nothing. */
	@FunctionalInterface
	interface Waiter {

		void wake();

	}

}
