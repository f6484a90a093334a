package dev.backoff.time;

import java.time.Instant;
import java.util.function.Consumer;

/**
 * Read a monotonic ticker, sleep, and run something later.
 * <p>
 * One object does it all, so that tests replace time as a whole. Implementations are
 * thread-safe and never throw from {@link #nanoTime()}.
 *
 * @since 0.1
 */
public interface RetryTime {

	/**
	 * {@return the time of the system, with interruptible parking}
	 */
	static RetryTime system() {
		return SystemTime.INSTANCE;
	}

	/**
	 * {@return a time whose ticker stands still when the given one throws}
	 * @param time the time
	 * @param report told what it throws
	 */
	static RetryTime safe(RetryTime time, Consumer<Throwable> report) {
		return (time instanceof SystemTime || time instanceof SafeTime) ? time : new SafeTime(time, report);
	}

	/**
	 * {@return the ticker's reading, in nanoseconds since an arbitrary origin} Only
	 * differences of readings have a meaning.
	 */
	long nanoTime();

	/**
	 * {@return the time of day, for what is stored or told elsewhere} Unless overridden,
	 * that of the system.
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
	 * overridden, a sleep that has begun is not ended by it.
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
	 * Run a task once after at least the given time, on a thread of this timer, which the
	 * task leaves soon. Unless overridden, the system's timer does it: a daemon thread
	 * that ends when nothing is scheduled.
	 * @param task what to run
	 * @param nanos how long to wait, in nanoseconds; zero or less is as soon as possible
	 * @return takes it back
	 */
	default Cancellable schedule(Runnable task, long nanos) {
		return SystemTimer.schedule(task, nanos);
	}

	/**
	 * Work begins of which no call tells, such as that of threads that begin the attempts
	 * of calls that are kept elsewhere. Time that stands while work runs, as in tests,
	 * stands until it {@linkplain #workEnds() ends}, as often as it has begun. Unless
	 * overridden, this does nothing.
	 */
	default void workBegins() {
	}

	/** Work that was told to {@linkplain #workBegins() begin} ends. */
	default void workEnds() {
	}

}
