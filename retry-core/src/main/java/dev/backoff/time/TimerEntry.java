package dev.backoff.time;

/**
 * A task that can be scheduled without any other object: the system's timer links the
 * entry itself. Cancelling removes the entry at once, so that the timer keeps no
 * reference to it. An entry is scheduled once at a time; after it has run or was
 * cancelled, it may be scheduled again. Thread-safe.
 *
 * @since 0.1
 */
public abstract class TimerEntry implements Runnable, Cancellable {

	static final int NOWHERE = -1;

	/* Its place in the queue, used by the timer under its lock. */
	int position = NOWHERE;

	/** Make an entry that is not scheduled. */
	protected TimerEntry() {
	}

	@Override
	public final void cancel() {
		SystemTimer.PROCESS.remove(this);
	}

}
