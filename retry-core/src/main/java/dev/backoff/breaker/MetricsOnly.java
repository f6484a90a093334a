package dev.backoff.breaker;

import java.util.concurrent.atomic.AtomicBoolean;

import dev.backoff.window.OutcomeWindow.Counts;

/** Permit all calls, count them and only tell, once, when it would have opened. */
final class MetricsOnly extends Counting {

	private final AtomicBoolean told;

	/** Tell unless the given one says that it has been told. */
	MetricsOnly(CircuitBreaker breaker, AtomicBoolean told) {
		super(breaker);
		this.told = told;
	}

	@Override
	CircuitBreaker.State kind() {
		return CircuitBreaker.State.METRICS_ONLY;
	}

	@Override
	MetricsOnly emptied() {
		return new MetricsOnly(breaker(), this.told);
	}

	@Override
	void exceeded(Counts counts, long now) {
		if (this.told.compareAndSet(false, true)) {
			breaker().tellThresholdExceeded();
		}
	}

}
