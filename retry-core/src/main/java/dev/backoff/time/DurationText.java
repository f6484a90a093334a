package dev.backoff.time;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * Durations as text, for two readers: a person who reads a stop report ("1.83 s") and a
 * configuration that must give the same value back ("1830ms").
 *
 * @since 0.1
 */
public final class DurationText {

	private static final long MICRO = 1_000L;

	private static final long MILLI = 1_000_000L;

	private static final long SECOND = 1_000_000_000L;

	private static final long MINUTE = 60 * SECOND;

	private static final long HOUR = 60 * MINUTE;

	private static final long DAY = 24 * HOUR;

	private static final long[] UNITS = { DAY, HOUR, MINUTE, SECOND, MILLI, MICRO, 1 };

	private static final String[] UNIT_NAMES = { "d", "h", "m", "s", "ms", "us", "ns" };

	private DurationText() {
	}

	/**
	 * Return the duration rounded: at most three digits, or two units from 2 min on.
	 * @param nanos nanoseconds, zero or more
	 * @return for instance {@code 0.4 ms}, {@code 72 ms}, {@code 1.83 s},
	 * {@code 2 min 5 s}
	 */
	public static String rounded(long nanos) {
		if (nanos == Nanos.UNLIMITED) {
			return "unlimited";
		}
		if (nanos < MILLI) {
			return (nanos == 0) ? "0 ms" : rounded(Math.max(nanos, MICRO), 6, 1) + " ms";
		}
		if (nanos < SECOND - MILLI / 2) {
			return (nanos + MILLI / 2) / MILLI + " ms";
		}
		if (nanos < 2 * MINUTE) {
			return rounded(nanos, 9, 3) + " s";
		}
		if (nanos < 2 * HOUR) {
			return minutes(nanos);
		}
		return nanos / HOUR + " h " + (nanos % HOUR) / MINUTE + " min";
	}

	/**
	 * Return the duration exactly, in the largest unit that divides it.
	 * @param nanos nanoseconds, zero or more
	 * @return for instance {@code 100ms}, {@code 90s}, {@code 2m}, {@code 0ms}
	 */
	public static String exact(long nanos) {
		if (nanos == Nanos.UNLIMITED) {
			return "unlimited";
		}
		if (nanos == 0) {
			return "0ms";
		}
		int unit = 0;
		while (nanos % UNITS[unit] != 0) {
			unit++;
		}
		return nanos / UNITS[unit] + UNIT_NAMES[unit];
	}

	/**
	 * Return the duration exactly, in the largest unit that divides it.
	 * @param duration any duration
	 * @return for instance {@code 100ms}
	 */
	public static String exact(Duration duration) {
		return exact(Nanos.of(duration));
	}

	private static String minutes(long nanos) {
		long seconds = (nanos + SECOND / 2) / SECOND;
		return seconds / 60 + " min" + ((seconds % 60 == 0) ? "" : " " + seconds % 60 + " s");
	}

	/* By the scale, since a division would take longer than the rest of the text. */
	private static String rounded(long nanos, int scale, int digits) {
		return BigDecimal.valueOf(nanos, scale)
			.round(new MathContext(digits, RoundingMode.HALF_UP))
			.stripTrailingZeros()
			.toPlainString();
	}

}
