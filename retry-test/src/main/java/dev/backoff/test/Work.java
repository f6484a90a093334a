package dev.backoff.test;

import org.jspecify.annotations.Nullable;

/**
 * Something for which the clock stands while it is busy: a call, a task that is due, the
 * keeper of stored calls. Used under the lock of the clock.
 */
class Work {

	private final String name;

	/* Where it runs, if that is known. */
	volatile @Nullable Thread thread;

	private int busy;

	/* In nanoseconds of real time, since it last told something and while others wait. */
	private long worked;

	private boolean passedOver;

	/* Whether its attempt has taken its timeout in real time. */
	boolean overdue;

	Work(String name) {
		this.name = name;
	}

	boolean isBusy() {
		return this.busy > 0;
	}

	/** Note that it begins or ends; what begins anew is waited for. */
	final void busy(int more) {
		this.busy += more;
		this.passedOver &= isBusy();
		goesOn();
	}

	/** Wait for it again, though it was passed over: its timeout has come. */
	final void waitAgain() {
		this.passedOver = false;
		goesOn();
	}

	final void goesOn() {
		this.worked = 0;
		this.overdue = false;
	}

	final boolean holdsTheClock() {
		return isBusy() && !this.passedOver && !this.overdue;
	}

	/** Count real time; return whether that was too much, so that it is passed over. */
	final boolean passesOver(long nanos, long patience) {
		if (!holdsTheClock()) {
			return false;
		}
		this.worked += nanos;
		this.passedOver = this.worked >= patience;
		return this.passedOver;
	}

	@Override
	public String toString() {
		return this.name;
	}

}
