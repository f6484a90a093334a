package dev.backoff.benchmarks.stall;

import dev.backoff.time.RetryTime;

/** The time of a simulation, which moves from event to event. Not thread-safe. */
final class SimulatedTime implements RetryTime {

	private long now;

	void moveTo(long now) {
		this.now = now;
	}

	@Override
	public long nanoTime() {
		return this.now;
	}

	@Override
	public void sleep(long nanos) {
		throw new UnsupportedOperationException("a simulation schedules, it does not sleep");
	}

}
