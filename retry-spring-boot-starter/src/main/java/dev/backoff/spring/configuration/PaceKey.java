package dev.backoff.spring.configuration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys of a pace, which {@link BackoffProperties.Pace} describes, with their parsers
 * and defaults.
 *
 * @since 0.1
 */
public final class PaceKey {

	static final List<Key<?>> KEYS = new ArrayList<>();

	public static final Key<Duration> MAX_HOLD = Key.of(KEYS, "max-hold", TextValues::positiveDuration, "1m");

	public static final Key<Integer> MAX_WAITING = Key.of(KEYS, "max-waiting", OverloadValues::waiting, "1000");

	private PaceKey() {
	}

}
