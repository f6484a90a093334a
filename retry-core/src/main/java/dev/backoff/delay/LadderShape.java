package dev.backoff.delay;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/** Given delays, the last of which repeats. */
final class LadderShape implements Shape {

	private final long[] rungs;

	LadderShape(long[] rungs) {
		this.rungs = rungs;
	}

	@Override
	public long nanos(int retry) {
		return this.rungs[Math.min(Rules.retry(retry), this.rungs.length) - 1];
	}

	@Override
	public Shape withBaseAtLeast(Duration floor) {
		long least = Nanos.of(floor);
		return new LadderShape(Arrays.stream(this.rungs).map((rung) -> Math.max(rung, least)).toArray());
	}

	@Override
	public int rungs() {
		return this.rungs.length;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof LadderShape that && Arrays.equals(this.rungs, that.rungs);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.rungs);
	}

	@Override
	public String toString() {
		return Arrays.stream(this.rungs).mapToObj(DurationText::exact).collect(Collectors.joining(", ", "ladder ", ""));
	}

}
