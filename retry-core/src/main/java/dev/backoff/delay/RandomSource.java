package dev.backoff.delay;

import java.security.SecureRandom;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Draw a number uniform in [0, 1).
 * <p>
 * Implementations are thread-safe. If a source throws or leaves the range, the call draws
 * from {@link #threadLocal()} instead, and listeners are told.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface RandomSource {

	/**
	 * {@return the next draw; a number from 0, included, to 1, excluded}
	 */
	double next();

	/**
	 * {@return the default source, {@link ThreadLocalRandom}; fast, unpredictable enough
	 * to spread a herd, not to keep a secret}
	 */
	static RandomSource threadLocal() {
		return () -> ThreadLocalRandom.current().nextDouble();
	}

	/**
	 * {@return a source whose draws cannot be predicted from earlier ones, at some
	 * hundred nanoseconds a draw; a source over {@link SecureRandom}}
	 */
	static RandomSource secure() {
		SecureRandom random = new SecureRandom();
		return random::nextDouble;
	}

}
