package dev.backoff.benchmarks.jcstress;

import dev.backoff.time.RetryTime;

/** Time that stands still. */
final class FrozenTime implements RetryTime {

	@Override
	public long nanoTime() {
		return 0;
	}

	@Override
	public void sleep(long nanos) {
		throw new UnsupportedOperationException("nobody sleeps here");
	}

}
