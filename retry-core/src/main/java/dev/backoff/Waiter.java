package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.time.TimerEntry;

/**
 * A call that waits, and can be an entry of the timer besides. Very many may wait at
 * once, so it is also the place of the call among them, and asks the call for what is to
 * be known about it.
 */
abstract class Waiter extends TimerEntry {

	/* Of those that wait, under their lock; null when it does not. */
	private @Nullable Waiter previous;

	private @Nullable Waiter next;

	/** Return the call that waits, which does not change while it does. */
	abstract RetryCall call();

	/**
	 * End the wait on this thread, because of the shutdown. It throws nothing, and only
	 * the first to end the wait counts.
	 */
	abstract void wake();

	/**
	 * End the wait as if its time had come. It throws nothing and runs nothing of the
	 * call on this thread, and only the first to end the wait counts.
	 */
	@Override
	public abstract void run();

	/** End the wait, and with it the call, where its attempts run. */
	abstract boolean stop();

	/** Return which attempt is over, or 0 before the first. */
	final int attempt() {
		return (call().lastKind() != null) ? call().attempt() : 0;
	}

	/** Return whether the call ends where retries are switched off. */
	final boolean wantsRetry() {
		AttemptOutcome last = call().lastKind();
		return last != null && last != AttemptOutcome.PENDING;
	}

	final String policy() {
		return call().terms().policy().name();
	}

	final boolean isOf(@Nullable String policy) {
		return policy == null || policy().equals(policy);
	}

	/** Return the ticker's reading at which the wait ends, under the same lock. */
	final long due() {
		return call().due();
	}

	/** Note the ticker's reading at which the wait ends, under the same lock. */
	final void due(long due) {
		call().due(due);
	}

	final boolean isLinked() {
		return this.next != null;
	}

	final @Nullable Waiter next() {
		return this.next;
	}

	/** Link this into a ring as the last, or make a ring of one. */
	final void link(@Nullable Waiter first) {
		if (this.next != null) {
			throw new IllegalStateException("It waits already.");
		}
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
