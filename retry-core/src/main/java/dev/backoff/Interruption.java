package dev.backoff;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Interrupt the work of one thread if it takes too long, and nothing that the thread does
 * afterwards.
 */
final class Interruption implements Runnable {

	/*
	 * The timer and the thread race for the state. If the thread is first, no interrupt
	 * follows. If the timer is first, the thread waits until the interrupt has been
	 * delivered, which takes no longer than delivering it, and then takes it back unless
	 * the work has consumed it. So no interrupt of ours is ever under way when the work
	 * has ended.
	 *
	 * A flag that was set already when the timer came is an interrupt of somebody else.
	 * It stays, and the work counts as interrupted by them and not as late.
	 */

	private static final AtomicIntegerFieldUpdater<Interruption> STATE = AtomicIntegerFieldUpdater
		.newUpdater(Interruption.class, "state");

	private static final int RUNNING = 0;

	private static final int INTERRUPTING = 1;

	private static final int INTERRUPTED = 2;

	private static final int ENDED = 3;

	private final Thread thread = Thread.currentThread();

	private volatile int state = RUNNING;

	private boolean alreadyInterrupted;

	/** Interrupt the thread that has made this, unless its work has ended. */

	@Override
	public void run() {
		if (!STATE.compareAndSet(this, RUNNING, INTERRUPTING)) {
			return;
		}
		try {
			this.alreadyInterrupted = this.thread.isInterrupted();
			this.thread.interrupt();
		}
		finally {
			this.state = INTERRUPTED;
		}
	}

	/**
	 * Note, on the thread itself, that its work has ended. No interrupt comes after this.
	 * @return whether it was interrupted, by this and by nobody else before
	 */
	boolean end() {
		if (STATE.compareAndSet(this, RUNNING, ENDED)) {
			return false;
		}
		while (this.state == INTERRUPTING) {
			Thread.yield();
		}
		return !this.alreadyInterrupted;
	}

}
