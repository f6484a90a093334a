package dev.backoff.window;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * How far a window looks back: over a time, or over a number of calls. Immutable and
 * thread-safe.
 *
 * @param time the time, or null for a number of calls
 * @param calls the number of calls, 0 for a time
 * @since 0.1
 */
public record WindowLength(@Nullable Duration time, int calls) {

	/** The greatest number of calls: {@value}. */
	public static final int MOST_CALLS = 1_000_000;

	/**
	 * Check the length.
	 * @param time the time, or null for a number of calls
	 * @param calls the number of calls, 0 for a time
	 * @throws IllegalArgumentException if not exactly one of the two is given, the time
	 * is not above zero, or the number is not from 1 to {@value #MOST_CALLS}
	 */
	public WindowLength {
		if ((time == null) == (calls == 0)) {
			throw new IllegalArgumentException(
					"Invalid window (" + time + ", " + calls + " calls): must be either a time or a number of calls.");
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
