package dev.backoff.breaker;

import dev.backoff.window.OutcomeWindow.Counts;

/** Permit all calls and count them, until too many fail or are slow. */
final class Closed extends Counting {

	Closed(Circuit circuit) {
		super(circuit);
	}

	@Override
	BreakerState state() {
		return BreakerState.CLOSED;
	}

	@Override
	Closed emptied() {
		return new Closed(this.circuit);
	}

	@Override
	void exceeded(Counts counts, long now) {
		this.circuit.move(this, Open.drawn(this.circuit, 0, counts, now));
	}

}
