package dev.backoff.delay;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/** Given delays, the last of which repeats. */
final class LadderShape implements Shape {

	private final long[] levels;

	LadderShape(long[] levels) {
		this.levels = levels;
	}

	@Override
	public long nanos(int retry) {
		return this.levels[Math.min(Rules.retry(retry), this.levels.length) - 1];
	}

	@Override
	public Shape withBaseAtLeast(Duration floor) {
		long least = Nanos.of(floor);
		return new LadderShape(Arrays.stream(this.levels).map((level) -> Math.max(level, least)).toArray());
	}

	@Override
	public int levels() {
		return this.levels.length;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof LadderShape that && Arrays.equals(this.levels, that.levels);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.levels);
	}

	@Override
	public String toString() {
		return Arrays.stream(this.levels)
			.mapToObj(DurationText::exact)
			.collect(Collectors.joining(", ", "ladder ", ""));
	}

}
