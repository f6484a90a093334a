package dev.backoff.time;

import java.util.concurrent.locks.LockSupport;

import dev.backoff.time.RetryTime.WakeSignal;

/** The system's ticker, and parking that survives spurious wake-ups. */
enum SystemTime implements RetryTime {

	INSTANCE;

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public void sleep(long nanos) throws InterruptedException {
		sleep(nanos, new WakeSignal());
	}

	@Override
	public void sleep(long nanos, WakeSignal signal) throws InterruptedException {
		Thread sleeper = Thread.currentThread();
		signal.sleeper(() -> LockSupport.unpark(sleeper));
		try {
			// compares the time that has passed, so the longest sleep cannot overflow
			long start = System.nanoTime();
			for (long left = nanos; left > 0 && !signal.isRaised(); left = nanos - (System.nanoTime() - start)) {
				if (Thread.interrupted()) {
					throw new InterruptedException();
				}
				LockSupport.parkNanos(this, left);
			}
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
		}
		finally {
			signal.sleeper(null);
		}
	}

}
