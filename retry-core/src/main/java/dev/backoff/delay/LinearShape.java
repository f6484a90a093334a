package dev.backoff.delay;

import java.time.Duration;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/** One step longer each time; a fixed shape has a step of zero. */
record LinearShape(long base, long step) implements Shape {

	@Override
	public long nanos(int retry) {
		return Nanos.plus(this.base, Nanos.times(this.step, retry - 1L));
	}

	@Override
	public Shape withBaseAtLeast(Duration floor) {
		return new LinearShape(Math.max(this.base, Nanos.of(floor)), this.step);
	}

	@Override
	public String toString() {
		return (this.step == 0) ? "fixed " + DurationText.exact(this.base)
				: "linear " + DurationText.exact(this.base) + " + " + DurationText.exact(this.step);
	}

}
