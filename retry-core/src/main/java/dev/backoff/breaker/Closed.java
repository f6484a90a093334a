package dev.backoff.breaker;

import dev.backoff.window.OutcomeWindow;
import dev.backoff.window.OutcomeWindow.Counts;

/** Permit all calls and count them, until too many fail or are slow. */
final class Closed extends BreakerState {

	private final CircuitBreaker breaker;

	private final OutcomeWindow window;

	Closed(CircuitBreaker breaker) {
		this.breaker = breaker;
		this.window = OutcomeWindow.of(breaker.settings().window());
	}

	@Override
	CircuitBreaker.State kind() {
		return CircuitBreaker.State.CLOSED;
	}

	@Override
	Closed tryAcquire(long now) {
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
		if (this.breaker.isCurrent(this)) {
			Counts counts = this.window.counts(now);
			if (this.breaker.isTooMuch(counts)) {
				this.breaker.move(this, this.breaker.opened(0, counts, now));
			}
		}
	}

}
