package dev.backoff.time;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A monotonic ticker that can also sleep and run tasks later.
 * <p>
 * One object does all three, so that tests replace time as a whole. Implementations are
 * thread-safe. A call ends with what {@link #nanoTime()} throws.
 *
 * @since 0.1
 */
public interface RetryTime {

	/**
	 * {@return the system's time, whose sleeps can be interrupted}
	 */
	static RetryTime system() {
		return SystemTime.INSTANCE;
	}

	/**
	 * {@return the ticker's reading, in nanoseconds since an arbitrary origin} Only
	 * differences of readings have a meaning.
	 */
	long nanoTime();

	/**
	 * {@return the time of day, for what is stored or sent elsewhere} Unless overridden,
	 * it is the system's.
	 */
	default Instant instant() {
		return Instant.now();
	}

	/**
	 * Sleep for at least the given time.
	 * @param nanos how long, in nanoseconds; zero or less returns at once
	 * @throws InterruptedException if the thread is interrupted before or while sleeping;
	 * the interrupt flag is then clear
	 */
	void sleep(long nanos) throws InterruptedException;

	/**
	 * Sleep for at least the given time, or until the signal is raised. Unless
	 * overridden, the signal does not end a sleep that has begun.
	 * @param nanos how long, in nanoseconds; zero or less returns at once
	 * @param signal ends the sleep
	 * @throws InterruptedException if the thread is interrupted before or while sleeping;
	 * the interrupt flag is then clear
	 */
	default void sleep(long nanos, WakeSignal signal) throws InterruptedException {
		if (!signal.isRaised()) {
			sleep(nanos);
		}
	}

	/**
	 * Run a task once after at least the given time, on a thread of this timer. The task
	 * must return soon. Unless overridden, the system's timer runs it, on a daemon thread
	 * that ends when nothing is scheduled.
	 * @param task what to run
	 * @param nanos how long to wait, in nanoseconds; zero or less is as soon as possible
	 * @return cancels the task
	 */
	default Cancellable schedule(Runnable task, long nanos) {
		return SystemTimer.schedule(task, nanos);
	}

	/**
	 * Note that work begins which no call reports, such as that of a thread that starts
	 * the attempts of stored calls. Virtual time in tests stands still until each such
	 * begin has been followed by its {@linkplain #workEnds() end}. Unless overridden,
	 * this does nothing.
	 */
	default void workBegins() {
	}

	/** Note the end of work whose {@linkplain #workBegins() begin} was noted. */
	default void workEnds() {
	}

	/** A scheduled action that can be cancelled. */
	@FunctionalInterface
	interface Cancellable {

		/**
		 * Cancel the action and keep no reference to it. This does nothing if the action
		 * has run already or was cancelled before.
		 */
		void cancel();

	}

	/**
	 * A task that can be scheduled without any other object: the system's timer links the
	 * entry itself. Cancelling removes the entry at once, so that the timer keeps no
	 * reference to it. An entry is scheduled once at a time; after it has run or was
	 * cancelled, it may be scheduled again. Thread-safe.
	 */
	abstract class TimerEntry implements Runnable, Cancellable {

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

	/**
	 * A signal that ends one sleep before its time, from another thread. If it is raised
	 * before the sleep begins, the sleep ends at once. It cannot be taken back.
	 * Thread-safe.
	 */
	final class WakeSignal {

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
		 * {@return whether {@link #raise()} was called}
		 */
		public boolean isRaised() {
			return this.raised;
		}

		/**
		 * Set the action that wakes the sleeping thread. If the signal is raised already,
		 * the action does not run.
		 * @param sleeper the action, which runs on the thread that raises the signal and
		 * throws nothing; null when the sleeping thread has woken
		 */
		public void sleeper(@Nullable Runnable sleeper) {
			this.sleeper = sleeper;
		}

	}

}
