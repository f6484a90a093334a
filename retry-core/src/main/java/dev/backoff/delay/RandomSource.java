package dev.backoff.delay;

import java.security.SecureRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * A source of random numbers that are uniform in [0, 1).
 * <p>
 * Implementations are thread-safe. If a source throws or leaves the range, the call draws
 * from {@link #threadLocal()} instead, and listeners receive a report.
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
	 * {@return the default source, {@link ThreadLocalRandom}; it is fast and
	 * unpredictable enough to spread a herd, but not to keep a secret}
	 */
	static RandomSource threadLocal() {
		return () -> ThreadLocalRandom.current().nextDouble();
	}

	/**
	 * {@return a source that draws from the default one when the given one throws or
	 * leaves the range}
	 * @param random the source
	 * @param report receives the source's exceptions, and one for a draw outside the
	 * range
	 */
	static RandomSource safe(RandomSource random, Consumer<Throwable> report) {
		return () -> {
			try {
				double u = random.next();
				if (u >= 0 && u < 1) {
					return u;
				}
				throw new IllegalStateException("draw " + u + " is outside [0, 1)");
			}
			catch (Throwable ex) {
				report.accept(ex);
				return threadLocal().next();
			}
		};
	}

	/**
	 * {@return a source over {@link SecureRandom}; its draws cannot be predicted from
	 * earlier ones, and each takes some hundred nanoseconds}
	 */
	static RandomSource secure() {
		SecureRandom random = new SecureRandom();
		return random::nextDouble;
	}

}
