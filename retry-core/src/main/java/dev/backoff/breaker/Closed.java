package dev.backoff.breaker;

import dev.backoff.window.OutcomeWindow.Counts;

/** Permit all calls and count them, until too many fail or are slow. */
final class Closed extends Counting {

	Closed(CircuitBreaker breaker) {
		super(breaker);
	}

	@Override
	CircuitBreaker.State kind() {
		return CircuitBreaker.State.CLOSED;
	}

	@Override
	Closed emptied() {
		return new Closed(breaker());
	}

	@Override
	void exceeded(Counts counts, long now) {
		breaker().move(this, breaker().opened(0, counts, now));
	}

}
