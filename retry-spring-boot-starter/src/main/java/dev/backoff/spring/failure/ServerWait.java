package dev.backoff.spring.failure;

import java.math.BigInteger;
import java.time.Duration;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** Waits as servers write them, never negative and at most {@link #LONGEST}. */
final class ServerWait {

	/** 292 years: longer waits count as this one. */
	static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE / 1_000_000_000);

	private static final Pattern DIGITS = Pattern.compile("[0-9]++");

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

	/** Return the wait, raised to zero and lowered to the longest. */
	static Duration bounded(Duration wait) {
		return wait.isNegative() ? Duration.ZERO : (wait.compareTo(LONGEST) > 0) ? LONGEST : wait;
	}

}
