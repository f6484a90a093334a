package dev.backoff.delay;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/** Given delays, the last of which repeats. */
record LadderShape(List<Duration> delays) implements Shape {

	LadderShape {
		if (delays.isEmpty()) {
			throw new IllegalArgumentException("Invalid ladder ([]): must have at least one level.");
		}
		delays.forEach((level) -> Nanos.notNegative("level", level));
		delays = List.copyOf(delays);
	}

	@Override
	public long nanos(int retry) {
		return Nanos.of(this.delays.get(Math.min(retry, levels()) - 1));
	}

	@Override
	public Shape withBaseAtLeast(Duration floor) {
		return new LadderShape(
				this.delays.stream().map((level) -> (level.compareTo(floor) < 0) ? floor : level).toList());
	}

	@Override
	public int levels() {
		return this.delays.size();
	}

	@Override
	public String toString() {
		return this.delays.stream().map(DurationText::exact).collect(Collectors.joining(", ", "ladder ", ""));
	}

}
