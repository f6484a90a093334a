package dev.backoff.breaker;

import java.util.concurrent.atomic.AtomicBoolean;

import dev.backoff.window.OutcomeWindow;
import dev.backoff.window.OutcomeWindow.Counts;

/** Permit all calls, count them and only tell when it would have opened. */
final class MetricsOnly extends BreakerState {

	private final CircuitBreaker breaker;

	private final OutcomeWindow window;

	private final AtomicBoolean told = new AtomicBoolean();

	MetricsOnly(CircuitBreaker breaker) {
		this.breaker = breaker;
		this.window = OutcomeWindow.of(breaker.settings().window());
	}

	@Override
	CircuitBreaker.State kind() {
		return CircuitBreaker.State.METRICS_ONLY;
	}

	@Override
	MetricsOnly tryAcquire(long now) {
		return this;
	}

	@Override
	boolean isPermitting(long now) {
		return true;
	}

	@Override
	Counts counts(long now) {
		return this.window.counts(now);
	}

	@Override
	public void succeeded(long nanos, long now) {
		boolean slow = this.breaker.isSlow(nanos);
		this.window.record(false, slow, now);
		if (slow) {
			evaluate(now);
		}
	}

	@Override
	public void failed(long nanos, long now) {
		this.window.record(true, this.breaker.isSlow(nanos), now);
		evaluate(now);
	}

	private void evaluate(long now) {
		if (!this.told.get() && this.breaker.isCurrent(this) && this.breaker.isTooMuch(this.window.counts(now))
				&& this.told.compareAndSet(false, true)) {
			this.breaker.tellThresholdExceeded();
		}
	}

}
