package dev.backoff.test;

import java.util.Random;
import java.util.function.LongFunction;

import dev.backoff.delay.RandomSource;

/**
 * The draws of a test. A draw of jitter {@code full} is a share of the delay:
 * {@link #MIDDLE} makes each wait its mean.
 *
 * @since 0.1
 */
@SuppressWarnings("ImmutableEnumChecker") // functions without state
public enum Chance {

	/** Each draw is 0.5, whatever the order of draws. */
	MIDDLE((seed) -> () -> 0.5),

	/** Each draw is 0, the least there is. */
	LEAST((seed) -> () -> 0),

	/** Each draw is the greatest number below 1. */
	GREATEST((seed) -> () -> Math.nextDown(1.0)),

	/**
	 * Draws are spread evenly and depend only on the seed. Calls that run at once share
	 * them in an unpredictable order, so run one call at a time.
	 */
	SEEDED((seed) -> new Random(seed)::nextDouble);

	private final LongFunction<RandomSource> sources;

	Chance(LongFunction<RandomSource> sources) {
		this.sources = sources;
	}

	/**
	 * Make a source of draws. It is thread-safe.
	 * @param seed decides the draws of {@link #SEEDED}; the others ignore it
	 * @return a new source, which begins with the first draw
	 */
	public RandomSource source(long seed) {
		return this.sources.apply(seed);
	}

}
