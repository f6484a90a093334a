package dev.backoff.delay;

import java.util.Locale;

/** The jitters that are told by their name alone. */
enum NamedJitter implements Jitter {

	NONE, FULL, EQUAL, DECORRELATED;

	@Override
	public long apply(long delay, long base, long cap, double u) {
		return switch (this) {
			case NONE -> delay;
			case FULL -> Uniform.between(0, delay, u);
			case EQUAL -> Uniform.between(delay - delay / 2, delay, u);
			case DECORRELATED -> Uniform.between(base, Math.max(base, delay), u);
		};
	}

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT);
	}

}
