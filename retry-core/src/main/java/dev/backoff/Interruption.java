package dev.backoff;

import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.TimerEntry;

/**
 * Interrupt the work of one thread if it takes too long, but nothing that the thread does
 * after that work.
 */
final class Interruption extends TimerEntry {

	/*
	 * The timer and the thread race for the lock. If the thread is first, no interrupt
	 * follows. If the timer is first, the thread waits until the interrupt has been
	 * delivered, which takes no longer than delivering it, and then takes it back unless
	 * the work has consumed it. So no interrupt of ours is ever under way when the work
	 * has ended.
	 *
	 * A flag that is already set when the timer comes is another interrupt. It stays, and
	 * the work counts as interrupted by that and not as late. The flag is not set again:
	 * the work may consume the first interrupt meanwhile, and ours would remain.
	 *
	 * The other interrupt may come from the timeout of an attempt inside. When that takes
	 * its interrupt back, it may take or hide that of an attempt around it, which is
	 * therefore delivered again.
	 */

	private final ReentrantLock lock = new ReentrantLock();

	private final Thread thread = Thread.currentThread();

	private final @Nullable Interruption outer;

	private boolean ended;

	private boolean over;

	private boolean late;

	Interruption(@Nullable Interruption outer) {
		this.outer = outer;
	}

	/** Interrupt the thread that made this object, unless its work has ended. */
	@Override
	public void run() {
		this.lock.lock();
		try {
			this.over = true;
			deliver();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void deliver() {
		if (!this.ended && !this.thread.isInterrupted()) {
			this.thread.interrupt();
			this.late = true;
		}
	}

	/** Note, on the thread itself, that its work has ended: no interrupt follows. */
	boolean end() {
		this.lock.lock();
		try {
			this.ended = true;
			return this.late;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Take the interrupt back, on the thread itself, when its work has ended. */
	boolean takeBack() {
		boolean pending = Thread.interrupted();
		for (Interruption around = this.outer; around != null; around = around.outer) {
			around.deliverAgain();
		}
		return pending;
	}

	private void deliverAgain() {
		this.lock.lock();
		try {
			if (this.over) {
				deliver();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

}
