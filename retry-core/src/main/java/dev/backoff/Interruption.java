package dev.backoff;

import java.util.concurrent.locks.ReentrantLock;

import dev.backoff.time.TimerEntry;

/**
 * Interrupt the work of one thread if it takes too long, and nothing that the thread does
 * afterwards.
 */
final class Interruption extends TimerEntry {

	/*
	 * The timer and the thread race for the lock. If the thread is first, no interrupt
	 * follows. If the timer is first, the thread waits until the interrupt has been
	 * delivered, which takes no longer than delivering it, and then takes it back unless
	 * the work has consumed it. So no interrupt of ours is ever under way when the work
	 * has ended.
	 *
	 * A flag that was set already when the timer came is an interrupt of somebody else.
	 * It stays, and the work counts as interrupted by them and not as late.
	 */

	private final ReentrantLock lock = new ReentrantLock();

	private final Thread thread = Thread.currentThread();

	private boolean ended;

	private boolean late;

	/** Interrupt the thread that has made this, unless its work has ended. */
	@Override
	public void run() {
		this.lock.lock();
		try {
			if (!this.ended) {
				this.late = !this.thread.isInterrupted();
				this.thread.interrupt();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Note, on the thread itself, that its work has ended. No interrupt comes after this.
	 * @return whether it was interrupted, by this and by nobody else before
	 */
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

}
