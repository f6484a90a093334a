package dev.backoff;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

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
		Sleeper sleeper = new Sleeper(new WakeSignal());
		enter(sleeper);
		try {
			time.sleep(nanos, sleeper.signal());
		}
		finally {
			leave(sleeper);
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
	 * Wake all that wait, now and from now on, and return when the asynchronous ones
	 * among them have ended. Each of those has a recovery, perhaps a slow one, so they
	 * end on the executor and on this thread at once.
	 * @param executor helps; what it refuses, or does not come to, is done on this thread
	 */
	public void shutDown(Executor executor) {
		this.shutDown = true;
		List<Runnable> ends = new ArrayList<>();
		for (Waiter waiter : this.waiting) {
			if (waiter instanceof Sleeper) {
				waiter.wake();
			}
			else {
				ends.add(waiter::wake);
			}
		}
		new SharedTasks(ends).run(executor);
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

	/* Told apart by its signal, of which there is one for each sleep. */
	private record Sleeper(WakeSignal signal) implements Waiter {

		@Override
		public void wake() {
			this.signal.raise();
		}

	}

}
