package dev.backoff.lincheck;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import dev.backoff.time.RetryTime;

/** A ticker that a thread of a test turns. */
final class HandTurnedTime implements RetryTime {

	private final AtomicLong now = new AtomicLong();

	@Override
	public long nanoTime() {
		return this.now.get();
	}

	@Override
	public void sleep(long nanos) {
		throw new UnsupportedOperationException();
	}

	void pass(Duration time) {
		this.now.addAndGet(time.toNanos());
	}

}
