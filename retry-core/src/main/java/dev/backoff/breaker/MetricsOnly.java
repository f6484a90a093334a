package dev.backoff.breaker;

import java.util.concurrent.atomic.AtomicBoolean;

import dev.backoff.window.OutcomeWindow.Counts;

/** Permit all calls and count them, and tell once when it would have opened. */
final class MetricsOnly extends Counting {

	private final AtomicBoolean told;

	MetricsOnly(Circuit circuit) {
		this(circuit, new AtomicBoolean());
	}

	private MetricsOnly(Circuit circuit, AtomicBoolean told) {
		super(circuit);
		this.told = told;
	}

	@Override
	BreakerState state() {
		return BreakerState.METRICS_ONLY;
	}

	@Override
	MetricsOnly emptied() {
		return new MetricsOnly(this.circuit, this.told);
	}

	@Override
	void exceeded(Counts counts, long now) {
		if (this.told.compareAndSet(false, true)) {
			this.circuit.thresholdExceeded();
		}
	}

}
