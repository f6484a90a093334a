package dev.backoff.window;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * The counts of how the latest calls ended.
 * <p>
 * A window over a time counts in slices. A slice is a tenth of the window, but at most
 * one second, and a 600th of a window over more than ten minutes. The window forgets
 * slice by slice, so it looks back by its time less at most one slice. Threads that
 * record in it do not contend. A window over a number of calls forgets call by call, and
 * takes a lock to do so. Thread-safe. Times are readings of one ticker, which may step
 * back or wrap around.
 *
 * @since 0.1
 */
public interface OutcomeWindow {

	/**
	 * Make an empty window.
	 * @param length how far it looks back
	 * @return the window
	 */
	static OutcomeWindow of(WindowLength length) {
		return (length.time() != null) ? new TimeWindow(length.time()) : new CountWindow(length.calls());
	}

	/**
	 * Record a call.
	 * @param failed whether it failed
	 * @param slow whether it was slow
	 * @param now the reading of the ticker
	 */
	void record(boolean failed, boolean slow, long now);

	/**
	 * Return the counts.
	 * @param now the reading of the ticker
	 * @return counts with {@code failed <= total} and {@code slow <= total}
	 */
	Counts counts(long now);

	/**
	 * How many calls the window holds.
	 *
	 * @param total all calls
	 * @param failed calls that failed
	 * @param slow calls that were slow
	 */
	record Counts(long total, long failed, long slow) {

		/** No calls. */
		public static final Counts NONE = new Counts(0, 0, 0);

		/**
		 * {@return the share of calls that failed; from 0 to 1, or {@code NaN} if there
		 * is no call}
		 */
		public double failureRate() {
			return (this.total > 0) ? (double) this.failed / this.total : Double.NaN;
		}

		/**
		 * {@return the share of calls that were slow; from 0 to 1, or {@code NaN} if
		 * there is no call}
		 */
		public double slowRate() {
			return (this.total > 0) ? (double) this.slow / this.total : Double.NaN;
		}

	}

	/**
	 * How far a window looks back: over a time, or over a number of calls. Immutable and
	 * thread-safe.
	 *
	 * @param time the time, or null for a number of calls
	 * @param calls the number of calls, 0 for a time
	 */
	record WindowLength(@Nullable Duration time, int calls) {

		/** The greatest number of calls: {@value}. */
		public static final int MOST_CALLS = 1_000_000;

		/**
		 * Check the length.
		 * @param time the time, or null for a number of calls
		 * @param calls the number of calls, 0 for a time
		 * @throws IllegalArgumentException if not exactly one of the two is given, the
		 * time is not above zero, or the number is not from 1 to {@value #MOST_CALLS}
		 */
		public WindowLength {
			if ((time == null) == (calls == 0)) {
				throw new IllegalArgumentException("Invalid window (" + time + ", " + calls
						+ " calls): must be either a time or a number of calls.");
			}
			if (time != null) {
				Nanos.aboveZero("window", time);
			}
			if (calls < 0 || calls > MOST_CALLS) {
				throw new IllegalArgumentException(
						"Invalid window (" + calls + " calls): must be from 1 to " + MOST_CALLS + " calls.");
			}
		}

		/**
		 * Look back over a time.
		 * @param time above zero
		 * @return the length
		 */
		public static WindowLength of(Duration time) {
			return new WindowLength(time, 0);
		}

		/**
		 * Look back over a number of calls.
		 * @param calls 1 or more
		 * @return the length
		 */
		public static WindowLength ofCalls(int calls) {
			return new WindowLength(null, calls);
		}

		@Override
		public String toString() {
			return (this.time != null) ? DurationText.exact(this.time) : this.calls + " calls";
		}

	}

}
