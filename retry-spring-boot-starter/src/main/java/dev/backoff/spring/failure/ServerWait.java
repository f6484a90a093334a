package dev.backoff.spring.failure;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** Waits as servers write them, never negative and at most {@link #LONGEST}. */
final class ServerWait {

	/** 292 years: longer waits count as this one. */
	static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE / 1_000_000_000);

	private static final Pattern DIGITS = Pattern.compile("[0-9]++");

	private static final Pattern DECIMAL = Pattern.compile("[0-9]++(?:\\.[0-9]*+)?+");

	private ServerWait() {
	}

	/** Return as many units as the text counts, or null unless it is digits alone. */
	static @Nullable Duration of(String text, Duration unit) {
		if (!DIGITS.matcher(text).matches()) {
			return null;
		}
		BigInteger most = BigInteger.valueOf(LONGEST.dividedBy(unit));
		return unit.multipliedBy(new BigInteger(text).min(most).longValue());
	}

	/** Return the seconds, rounded up, or null unless the text is a decimal number. */
	static @Nullable Duration seconds(String text) {
		return DECIMAL.matcher(text).matches()
				? of(new BigDecimal(text).setScale(0, RoundingMode.CEILING).toPlainString(), Duration.ofSeconds(1))
				: null;
	}

	/** Return the wait, raised to zero and lowered to the longest. */
	static Duration bounded(Duration wait) {
		return wait.isNegative() ? Duration.ZERO : (wait.compareTo(LONGEST) > 0) ? LONGEST : wait;
	}

}
