package dev.backoff.policy;

import java.time.Duration;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.Jitter;

/**
 * Numbers that fit a situation. A preset sets the values in its row and leaves the rest,
 * such as the default multiplier of 2 and full jitter. <pre>
 * preset        attempts   base    cap   deadline  besides
 * user-facing   4          100 ms  2 s   5 s
 * background    15         2 s     5 min           waits for an empty budget
 * message       unlimited  100 ms  1 h             waits for an empty budget
 * critical      12         500 ms  30 s  4 min     waits for an empty budget
 * health-check  3          1 s     5 s
 * short-job     4          2 s     30 s  1 min     equal jitter, waits for an empty budget
 * medium-job    7          30 s    2 min           equal jitter, waits for an empty budget
 * long-job      10         5 min   15 min          equal jitter, waits for an empty budget,
 *                                                  multiplier 1.75
 * </pre>
 *
 * @since 0.1
 */
public enum Preset {

	/** A person waits for the answer. */
	USER_FACING(4, "PT0.1S", "PT2S", "PT5S", null, null, false),

	/** No person waits, but the work should be done within the hour. */
	BACKGROUND(15, "PT2S", "PT5M", null, null, null, true),

	/** A message that must not be lost: retried until it succeeds. */
	MESSAGE(RetryPolicy.UNLIMITED_ATTEMPTS, "PT0.1S", "PT1H", null, null, null, true),

	/** Money or stock depends on it. */
	CRITICAL(12, "PT0.5S", "PT30S", "PT4M", null, null, true),

	/** A probe that is repeated soon anyway. */
	HEALTH_CHECK(3, "PT1S", "PT5S", null, null, null, false),

	/** A scheduled job that runs every few minutes. */
	SHORT_JOB(4, "PT2S", "PT30S", "PT1M", null, Jitter.equal(), true),

	/** A scheduled job that runs every hour. */
	MEDIUM_JOB(7, "PT30S", "PT2M", null, null, Jitter.equal(), true),

	/** A scheduled job that runs once a day. */
	LONG_JOB(10, "PT5M", "PT15M", null, 1.75, Jitter.equal(), true);

	@SuppressWarnings("ImmutableEnumChecker") // every jitter is immutable
	private final Numbers numbers;

	Preset(int maxAttempts, String base, String cap, @Nullable String deadline, @Nullable Double multiplier,
			@Nullable Jitter jitter, boolean postponedWhenEmpty) {
		this.numbers = new Numbers(maxAttempts, Duration.parse(base), Duration.parse(cap),
				(deadline != null) ? Duration.parse(deadline) : null, multiplier, jitter, postponedWhenEmpty);
	}

	/**
	 * {@return the name as it is written in a configuration; the name in kebab case, for
	 * instance {@code user-facing}}
	 */
	public String key() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * {@return what the preset sets}
	 */
	public Numbers numbers() {
		return this.numbers;
	}

	/**
	 * What a preset sets; null if it leaves the value.
	 *
	 * @param maxAttempts the number of attempts, the first call included; 1 or more,
	 * {@link RetryPolicy#UNLIMITED_ATTEMPTS} for no limit
	 * @param base the delay before the first retry
	 * @param cap the longest delay
	 * @param deadline the time for the whole call
	 * @param multiplier the growth from delay to delay
	 * @param jitter how chance spreads the delays
	 * @param isPostponedWhenEmpty whether an empty budget postpones a retry instead of
	 * ending the call; false if the preset leaves it as it is
	 */
	public record Numbers(int maxAttempts, Duration base, Duration cap, @Nullable Duration deadline,
			@Nullable Double multiplier, @Nullable Jitter jitter, boolean isPostponedWhenEmpty) {
	}

}
