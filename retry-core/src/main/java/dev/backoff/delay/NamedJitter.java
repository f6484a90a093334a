package dev.backoff.delay;

import java.util.Locale;

/** The jitters that are told by their name alone. */
enum NamedJitter implements Jitter {

	NONE {

		@Override
		public long apply(long delay, long base, long cap, double u) {
			return delay;
		}

	},

	FULL {

		@Override
		public long apply(long delay, long base, long cap, double u) {
			return Uniform.between(0, delay, u);
		}

	},

	EQUAL {

		@Override
		public long apply(long delay, long base, long cap, double u) {
			return Uniform.between(delay - delay / 2, delay, u);
		}

	},

	DECORRELATED {

		@Override
		public long apply(long delay, long base, long cap, double u) {
			return Uniform.between(base, Math.max(base, delay), u);
		}

	};

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT);
	}

}
