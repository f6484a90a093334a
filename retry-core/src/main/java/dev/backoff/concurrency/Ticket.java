package dev.backoff.concurrency;

import org.jspecify.annotations.Nullable;

/**
 * A place in the queue of calls that wait for a permit of a {@link ConcurrencyLimit}. It
 * may have been granted a permit, or refused. Thread-safe.
 *
 * @since 0.1
 */
public final class Ticket {

	Ticket previous = this;

	Ticket next = this;

	private final ConcurrencyLimit limit;

	/* Under the lock of the limit. */
	@Nullable Runnable waiter;

	volatile Standing standing;

	Ticket(ConcurrencyLimit limit, Standing standing) {
		this.limit = limit;
		this.standing = standing;
	}

	/**
	 * {@return whether this ticket has its permit}
	 */
	public boolean isGranted() {
		return this.standing == Standing.GRANTED;
	}

	/**
	 * {@return whether the queue was full}
	 */
	public boolean isRefused() {
		return this.standing == Standing.REFUSED;
	}

	/**
	 * {@return the limit that gave this ticket}
	 */
	public ConcurrencyLimit limit() {
		return this.limit;
	}

	/**
	 * Run an action once when this ticket has its permit: now, or later on the thread
	 * that gives a permit back.
	 * @param waiter the action, which should be quick and throws nothing; it replaces an
	 * earlier action that has not run
	 */
	public void whenGranted(Runnable waiter) {
		if (this.limit.await(this, waiter)) {
			waiter.run();
		}
	}

	/**
	 * Keep the permit that was granted. The caller {@linkplain ConcurrencyLimit#release()
	 * gives it back} from now on, and {@link #leave()} does nothing.
	 */
	public void keep() {
		this.standing = Standing.OVER;
	}

	/**
	 * Leave the queue, or give back the permit that was granted. A second call does
	 * nothing.
	 */
	public void leave() {
		this.limit.leave(this);
	}

	enum Standing {

		WAITING, GRANTED, REFUSED,

		/** It has left the line, or its permit is the caller's. */
		OVER

	}

}
