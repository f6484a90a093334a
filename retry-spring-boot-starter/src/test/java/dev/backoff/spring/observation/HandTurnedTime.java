package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import dev.backoff.time.RetryTime;

/** Time in which a sleep takes none and moves the ticker. */
final class HandTurnedTime implements RetryTime {

	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 7);

	@Override
	public long nanoTime() {
		return this.now.get();
	}

	@Override
	public void sleep(long nanos) {
		this.now.addAndGet(nanos);
	}

	void pass(Duration time) {
		this.now.addAndGet(time.toNanos());
	}

}
