package dev.backoff.time;

import org.jspecify.annotations.Nullable;

/**
 * End one sleep before its time, from another thread. Raised before the sleep begins, it
 * ends it at once; it cannot be taken back. Thread-safe.
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
	 * {@return whether the sleep was ended; true after {@link #raise()}}
	 */
	public boolean isRaised() {
		return this.raised;
	}

	/**
	 * Set what wakes the thread that sleeps. A signal that is raised already does not run
	 * it.
	 * @param sleeper runs on the thread that raises the signal and throws nothing, or
	 * null when the thread has woken
	 */
	public void sleeper(@Nullable Runnable sleeper) {
		this.sleeper = sleeper;
	}

}
