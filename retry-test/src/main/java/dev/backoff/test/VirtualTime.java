package dev.backoff.test;

import java.time.Clock;
import java.time.Duration;

import dev.backoff.event.CallObserver;
import dev.backoff.time.Cancellable;
import dev.backoff.time.RetryTime;
import dev.backoff.time.WakeSignal;

/**
 * Time that stands while work runs, and jumps to the end of the next wait when all calls
 * wait. A skeleton: its parts follow.
 *
 * @since 0.1
 */
public final class VirtualTime implements RetryTime {

	/** Begin at zero. */
	public VirtualTime() {
	}

	/**
	 * {@return how much time has passed since the test began}
	 */
	public Duration elapsed() {
		throw new UnsupportedOperationException();
	}

	/**
	 * Let time pass, and all that is due within it happen.
	 * @param duration how much, zero or more
	 */
	public void advance(Duration duration) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Let the clock stand until the hold is closed.
	 * @return the hold
	 */
	public Hold hold() {
		throw new UnsupportedOperationException();
	}

	/**
	 * Let work on this thread take time.
	 * @param duration how much, zero or more
	 * @throws InterruptedException if the thread is interrupted
	 */
	public void sleep(Duration duration) throws InterruptedException {
		throw new UnsupportedOperationException();
	}

	/**
	 * {@return a clock that goes with this time}
	 */
	public Clock clock() {
		throw new UnsupportedOperationException();
	}

	/**
	 * Set how long a call may be busy without a beginning, wait or end of its own.
	 * @param patience of real time, above zero
	 * @return this
	 */
	public VirtualTime patience(Duration patience) {
		throw new UnsupportedOperationException();
	}

	@Override
	public long nanoTime() {
		throw new UnsupportedOperationException();
	}

	@Override
	public void sleep(long nanos) throws InterruptedException {
		throw new UnsupportedOperationException();
	}

	@Override
	public void sleep(long nanos, WakeSignal signal) throws InterruptedException {
		throw new UnsupportedOperationException();
	}

	@Override
	public Cancellable schedule(Runnable task, long nanos) {
		throw new UnsupportedOperationException();
	}

	/** Return what tells this time of the beginnings, waits and ends of calls. */
	CallObserver observer() {
		throw new UnsupportedOperationException();
	}

	/** Begin another test: let the elapsed time be zero, and close what is held. */
	void reset() {
		throw new UnsupportedOperationException();
	}

	/** Lets the clock stand until it is closed. Closed once more, it does nothing. */
	@FunctionalInterface
	public interface Hold extends AutoCloseable {

		/** Let the clock go on, unless something else holds it. */
		@Override
		void close();

	}

}
