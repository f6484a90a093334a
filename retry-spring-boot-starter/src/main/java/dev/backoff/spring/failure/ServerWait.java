package dev.backoff.spring.failure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/** Waits as servers write them: never negative, saturated where they are absurd. */
final class ServerWait {

	/** The longest wait that is told, also by values beyond it: 292 years. */
	static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE / 1_000_000_000);

	private ServerWait() {
	}

	/** Read a number of seconds: digits alone, as many as there are. */
	static @Nullable Duration ofSeconds(String text) {
		long seconds = digits(text, LONGEST.toSeconds());
		return (seconds < 0) ? null : Duration.ofSeconds(seconds);
	}

	/** Read a number of milliseconds: digits alone, as many as there are. */
	static @Nullable Duration ofMillis(String text) {
		long millis = digits(text, LONGEST.toMillis());
		return (millis < 0) ? null : Duration.ofMillis(millis);
	}

	/** Return the wait, but no less than zero and no more than the longest. */
	static Duration bounded(Duration wait) {
		return wait.isNegative() ? Duration.ZERO : (wait.compareTo(LONGEST) > 0) ? LONGEST : wait;
	}

	private static long digits(String text, long max) {
		long number = text.isEmpty() ? -1 : 0;
		for (int i = 0; i < text.length(); i++) {
			int digit = text.charAt(i) - '0';
			if (digit < 0 || digit > 9) {
				return -1;
			}
			number = (number > (max - digit) / 10) ? max : number * 10 + digit;
		}
		return number;
	}

}
