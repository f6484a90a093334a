package dev.backoff.time;

import org.jspecify.annotations.Nullable;

/**
 * A signal that ends one sleep before its time, from another thread. If it is raised
 * before the sleep begins, the sleep ends at once. It cannot be taken back. Thread-safe.
 *
 * @since 0.1
 */
public final class WakeSignal {

	private volatile boolean raised;

	private volatile @Nullable Runnable sleeper;

	/** End the sleep. */
	public void raise() {
		this.raised = true;
		Runnable sleeper = this.sleeper;
		if (sleeper != null) {
			sleeper.run();
		}
	}

	/**
	 * {@return whether {@link #raise()} was called} */
	public boolean isRaised() {
		return this.raised;
	}

	/**
	 * Set the action that wakes the sleeping thread. If the signal is raised already, the
	 * action does not run.
	 * @param sleeper the action, which runs on the thread that raises the signal and
	 * throws nothing; null when the sleeping thread has woken
	 */
	public void sleeper(@Nullable Runnable sleeper) {
		this.sleeper = sleeper;
	}

}
