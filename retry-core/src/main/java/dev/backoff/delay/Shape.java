package dev.backoff.delay;

import java.time.Duration;
import java.util.List;

import dev.backoff.time.Nanos;

/**
 * The delay before retry k as a function of k alone, before the cap and before jitter.
 * <p>
 * The delays for base 100 ms (linear with step 50 ms, exponential ×2) and the ladder 1 s,
 * 5 s: <pre>
 * retry        1       2       3       4       5
 * fixed        100 ms  100 ms  100 ms  100 ms  100 ms
 * linear       100 ms  150 ms  200 ms  250 ms  300 ms
 * exponential  100 ms  200 ms  400 ms  800 ms  1.6 s
 * ladder       1 s     5 s     5 s     5 s     5 s
 * </pre> All delays saturate at {@link Long#MAX_VALUE} ns and are never negative.
 * Immutable and thread-safe.
 *
 * @since 0.1
 */
public sealed interface Shape permits LinearShape, ExponentialShape, LadderShape {

	/**
	 * Wait the same time before every retry: {@code base}.
	 * @param base zero or more
	 * @return the shape
	 * @throws IllegalArgumentException if the base is negative
	 */
	static Shape fixed(Duration base) {
		return new LinearShape(Nanos.notNegative("base", base), 0);
	}

	/**
	 * Wait one step longer each time: {@code base + (k-1)·step}.
	 * @param base zero or more
	 * @param step zero or more
	 * @return the shape
	 * @throws IllegalArgumentException if one of them is negative
	 */
	static Shape linear(Duration base, Duration step) {
		return new LinearShape(Nanos.notNegative("base", base), Nanos.notNegative("step", step));
	}

	/**
	 * Wait longer by a factor each time: {@code base · multiplier^(k-1)}.
	 * @param base zero or more
	 * @param multiplier a finite number, 1 or more
	 * @return the shape
	 * @throws IllegalArgumentException if the base is negative or the multiplier is below
	 * 1 or not finite
	 */
	static Shape exponential(Duration base, double multiplier) {
		return new ExponentialShape(Nanos.notNegative("base", base), multiplier);
	}

	/**
	 * Wait the times given, one after the other; the last one repeats.
	 * @param levels the delays, at least one, zero or more each
	 * @return the shape
	 * @throws IllegalArgumentException if there is no level or one is negative
	 */
	static Shape ladder(List<Duration> levels) {
		return new LadderShape(levels);
	}

	/**
	 * Return the delay before the given retry, without cap and jitter.
	 * @param retry the retry, counted from 1
	 * @return nanoseconds, zero or more, saturated
	 */
	long nanos(int retry);

	/**
	 * {@return the delay before the first retry; nanoseconds, zero or more}
	 */
	default long baseNanos() {
		return nanos(1);
	}

	/**
	 * Return this shape with its base raised to the given one, if its own is lower. A
	 * ladder raises each of its levels that is lower.
	 * @param floor the least base
	 * @return this shape, or a copy with the raised base or levels
	 */
	Shape withBaseAtLeast(Duration floor);

	/**
	 * {@return the number of levels of a ladder, or 0 for a shape that is not a ladder}
	 */
	default int levels() {
		return 0;
	}

}
