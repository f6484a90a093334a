package dev.backoff.breaker;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import dev.backoff.window.OutcomeWindow;
import dev.backoff.window.OutcomeWindow.Counts;

/** Permit all calls and count them, until too many fail or are slow. */
final class Closed implements Phase {

	private final Circuit circuit;

	private final OutcomeWindow window;

	/* What is counted depends on their window and slowCall. */
	private final BreakerSettings counted;

	Closed(Circuit circuit) {
		this.circuit = circuit;
		this.counted = circuit.numbers();
		this.window = OutcomeWindow.of(this.counted.window());
	}

	@Override
	public BreakerState state() {
		return BreakerState.CLOSED;
	}

	@Override
	public void conform() {
		BreakerSettings settings = this.circuit.numbers();
		if (!settings.window().equals(this.counted.window())
				|| !Objects.equals(settings.slowCall(), this.counted.slowCall())) {
			this.circuit.move(this, new Closed(this.circuit));
		}
	}

	@Override
	public Closed tryAcquire(long now) {
		return this;
	}

	@Override
	public boolean isPermitting(long now) {
		return true;
	}

	@Override
	public Counts counts(long now) {
		return this.window.counts(now);
	}

	@Override
	public void succeeded(long nanos, long now) {
		boolean slow = this.circuit.numbers().isSlow(nanos);
		this.window.record(false, slow, now);
		if (slow) {
			evaluate(now);
		}
	}

	@Override
	public void failed(long nanos, long now, @Nullable Throwable failure) {
		this.window.record(true, this.circuit.numbers().isSlow(nanos), now);
		evaluate(now);
	}

	private void evaluate(long now) {
		if (this.circuit.isCurrent(this)) {
			Counts counts = counts(now);
			if (this.circuit.numbers().isTooMuch(counts)) {
				this.circuit.move(this, Open.drawn(this.circuit, 0, counts, now));
			}
		}
	}

}
