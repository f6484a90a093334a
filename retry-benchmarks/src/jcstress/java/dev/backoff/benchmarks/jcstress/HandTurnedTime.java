package dev.backoff.benchmarks.jcstress;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;

/** Time in which what was scheduled last happens when somebody says so. */
final class HandTurnedTime implements RetryTime {

	private final AtomicReference<Runnable> scheduled = new AtomicReference<>(HandTurnedTime::nothing);

	private volatile long now;

	@Override
	public long nanoTime() {
		return this.now;
	}

	@Override
	public void sleep(long nanos) {
		throw new UnsupportedOperationException("nobody sleeps here");
	}

	@Override
	public Cancellable schedule(Runnable task, long nanos) {
		Runnable own = () -> task.run();
		this.scheduled.set(own);
		return () -> this.scheduled.compareAndSet(own, HandTurnedTime::nothing);
	}

	/** Let it happen now, if there is something. */
	void turn() {
		this.scheduled.getAndSet(HandTurnedTime::nothing).run();
	}

	/** Let it be later, and what is scheduled happen. */
	void turn(Duration time) {
		this.now = time.toNanos();
		turn();
	}

	private static void nothing() {
	}

}
