package dev.backoff;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.RetryTime.TimerEntry;

/** Interrupt the work of one thread if it takes too long, and nothing after it. */
final class Interruption extends TimerEntry {

	/*
	 * The timer and the thread race to change the state. If the thread is first, no
	 * interrupt follows. If the timer is first, the thread waits until the interrupt has
	 * been delivered, which takes no longer than delivering it, and then takes it back
	 * unless the work has consumed it. So no interrupt of ours is ever under way when the
	 * work has ended.
	 *
	 * A flag that is already set when the timer comes is another interrupt. It stays, and
	 * the work counts as interrupted by that and not as late. The flag is not set again:
	 * the work may consume the first interrupt meanwhile, and ours would remain.
	 *
	 * The other interrupt may come from the timeout of an attempt inside. When that takes
	 * its interrupt back, it may take or hide that of an attempt around it, which is
	 * therefore delivered again.
	 */

	private static final AtomicIntegerFieldUpdater<Interruption> STATE = AtomicIntegerFieldUpdater
		.newUpdater(Interruption.class, "state");

	private static final int RUNNING = 0;

	private static final int DELIVERING = 1;

	/* The time is over, but another interrupt was pending. */
	private static final int OVER = 2;

	private static final int INTERRUPTED = 3;

	private static final int ENDED = 4;

	private final Thread thread = Thread.currentThread();

	private final @Nullable Interruption outer;

	private volatile int state = RUNNING;

	Interruption(@Nullable Interruption outer) {
		this.outer = outer;
	}

	/** Interrupt the thread that made this object, unless its work has ended. */
	@Override
	public void run() {
		if (STATE.compareAndSet(this, RUNNING, DELIVERING)) {
			deliver();
		}
	}

	private void deliver() {
		int after = (this.state == INTERRUPTED) ? INTERRUPTED : OVER;
		try {
			if (!this.thread.isInterrupted()) {
				this.thread.interrupt();
				after = INTERRUPTED;
			}
		}
		finally {
			this.state = after;
		}
	}

	/** Note, on the thread itself, that its work has ended: no interrupt follows. */
	boolean end() {
		if (STATE.compareAndSet(this, RUNNING, ENDED)) {
			return false;
		}
		boolean interrupted = delivered() == INTERRUPTED;
		this.state = ENDED;
		return interrupted;
	}

	@SuppressWarnings("ThreadPriorityCheck") // the timer is between two instructions
	private int delivered() {
		while (this.state == DELIVERING) {
			Thread.yield();
		}
		return this.state;
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
		int delivered = delivered();
		if (delivered == OVER || delivered == INTERRUPTED) {
			deliver();
		}
	}

}
