package dev.backoff.time;

import java.time.Instant;
import java.util.function.Consumer;

/**
 * A time from outside, guarded where it enters. Its ticker stands still when it fails. A
 * sleep or a schedule that fails is reported and still throws, since the wait has failed
 * with it. Thread-safe.
 */
final class SafeTime implements RetryTime {

	private final RetryTime time;

	private final Consumer<Throwable> report;

	private volatile long last = RetryTime.system().nanoTime();

	SafeTime(RetryTime time, Consumer<Throwable> report) {
		this.time = time;
		this.report = report;
	}

	@Override
	public long nanoTime() {
		long reading = this.last;
		try {
			reading = this.time.nanoTime();
		}
		catch (Throwable ex) {
			this.report.accept(ex);
		}
		this.last = reading;
		return reading;
	}

	@Override
	public Instant instant() {
		return this.time.instant();
	}

	@Override
	public void sleep(long nanos) throws InterruptedException {
		sleep(nanos, new WakeSignal());
	}

	@Override
	public void sleep(long nanos, WakeSignal signal) throws InterruptedException {
		try {
			this.time.sleep(nanos, signal);
		}
		catch (Throwable ex) {
			report(ex);
			throw ex;
		}
	}

	@Override
	public Cancellable schedule(Runnable task, long nanos) {
		Cancellable scheduled;
		try {
			scheduled = this.time.schedule(task, nanos);
		}
		catch (Throwable ex) {
			report(ex);
			throw ex;
		}
		return (scheduled instanceof TimerEntry) ? scheduled : () -> cancel(scheduled);
	}

	/* It may be null, if the time returns nothing to cancel. */
	private void cancel(Cancellable scheduled) {
		try {
			scheduled.cancel();
		}
		catch (Throwable ex) {
			this.report.accept(ex);
		}
	}

	@Override
	public void workBegins() {
		this.time.workBegins();
	}

	@Override
	public void workEnds() {
		this.time.workEnds();
	}

	private void report(Throwable thrown) {
		if (!(thrown instanceof InterruptedException)) {
			this.report.accept(thrown);
		}
	}

}
