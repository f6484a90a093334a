package dev.backoff.test;

import java.util.Random;

import dev.backoff.delay.RandomSource;

/**
 * What the draws of a test are. A draw of jitter {@code full} is a share of the delay:
 * {@link #MIDDLE} makes each wait its mean.
 *
 * @since 0.1
 */
public enum Chance {

	/** Each draw is 0.5, whatever the order of draws. */
	MIDDLE {

		@Override
		public RandomSource source(long seed) {
			return () -> 0.5;
		}

	},

	/** Each draw is 0, the least there is. */
	LEAST {

		@Override
		public RandomSource source(long seed) {
			return () -> 0;
		}

	},

	/** Each draw is the greatest number below 1. */
	GREATEST {

		@Override
		public RandomSource source(long seed) {
			return () -> Math.nextDown(1.0);
		}

	},

	/**
	 * Draws are spread evenly, and the same for each seed. Calls that run at once share
	 * them in an order that is left to chance: run one call at a time.
	 */
	SEEDED {

		@Override
		public RandomSource source(long seed) {
			return new Random(seed)::nextDouble;
		}

	};

	/**
	 * Make a source of draws. It is thread-safe.
	 * @param seed decides the draws of {@link #SEEDED}; the others ignore it
	 * @return a new source, which begins with the first draw
	 */
	public abstract RandomSource source(long seed);

}
