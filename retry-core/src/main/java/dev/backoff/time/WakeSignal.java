package dev.backoff.time;

import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * End one sleep before its time, from another thread. Raised before the sleep begins, it
 * ends it at once; it cannot be taken back. Thread-safe.
 *
 * @since 0.1
 */
public final class WakeSignal {

	private volatile boolean raised;

	private volatile @Nullable Thread sleeper;

	/** End the sleep. */
	public void raise() {
		this.raised = true;
		LockSupport.unpark(this.sleeper);
	}

	/**
	 * {@return whether the sleep was ended; true after {@link #raise()}}
	 */
	public boolean isRaised() {
		return this.raised;
	}

	/** Note the thread that sleeps, or null when it has woken. */
	void sleeper(@Nullable Thread sleeper) {
		this.sleeper = sleeper;
	}

}
