package dev.backoff.delay;

import java.security.SecureRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

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
	 * {@return a source that draws from the default one when the given one throws or
	 * leaves the range}
	 * @param random the source
	 * @param report told what it throws, and of a draw outside the range
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
	 * {@return a source whose draws cannot be predicted from earlier ones, at some
	 * hundred nanoseconds a draw; a source over {@link SecureRandom}}
	 */
	static RandomSource secure() {
		SecureRandom random = new SecureRandom();
		return random::nextDouble;
	}

}
