package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.time.TimerEntry;

/**
 * A call that waits. Very many calls may wait at once: to save memory, a waiter is also
 * its own entry of the timer and its own link in the ring of waiters.
 */
abstract class Waiter extends TimerEntry {

	/* In the ring, under its lock; null outside. */
	private @Nullable Waiter previous;

	private @Nullable Waiter next;

	/** Return the call, whose state does not change while it waits. */
	abstract CallState call();

	/**
	 * End the wait on this thread, because of the shutdown; throw nothing. If the wait
	 * has ended, do nothing.
	 */
	abstract void wake();

	/**
	 * End the wait as if its time had come; throw nothing, and run no code of the call on
	 * this thread. If the wait has ended, do nothing.
	 */
	@Override
	public abstract void run();

	/** Return whether the call ends after retries were switched off. */
	final boolean wantsRetry() {
		Outcome last = call().lastOutcome();
		return last != null && last.kind() != AttemptOutcome.PENDING;
	}

	final boolean isOf(@Nullable String policy) {
		return policy == null || call().settings().policy().name().equals(policy);
	}

	final boolean isLinked() {
		return this.next != null;
	}

	final @Nullable Waiter next() {
		return this.next;
	}

	/** Link this into a ring as the last, or make a ring of one. */
	final void link(@Nullable Waiter first) {
		Waiter last = (first != null) ? first.previous : null;
		this.previous = (last != null) ? last : this;
		this.next = (first != null) ? first : this;
		this.previous.next = this;
		this.next.previous = this;
	}

	final boolean unlink() {
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
