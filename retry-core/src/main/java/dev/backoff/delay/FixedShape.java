package dev.backoff.delay;

import java.time.Duration;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/** The same delay each time. */
record FixedShape(long base) implements Shape {

	@Override
	public long nanos(int retry) {
		Rules.retry(retry);
		return this.base;
	}

	@Override
	public Shape withBaseAtLeast(Duration floor) {
		return new FixedShape(Math.max(this.base, Nanos.of(floor)));
	}

	@Override
	public String toString() {
		return "fixed " + DurationText.exact(this.base);
	}

}
