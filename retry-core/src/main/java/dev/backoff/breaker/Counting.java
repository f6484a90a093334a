package dev.backoff.breaker;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import dev.backoff.window.OutcomeWindow;
import dev.backoff.window.OutcomeWindow.Counts;

/** Permit all calls and count them; a failed or slow one may be one too many. */
abstract class Counting extends Phase {

	final Circuit circuit;

	private final OutcomeWindow window;

	/* What is counted depends on their window and slowCall. */
	private final BreakerSettings counted;

	Counting(Circuit circuit) {
		this.circuit = circuit;
		this.counted = circuit.limits().settings();
		this.window = OutcomeWindow.of(this.counted.window());
	}

	/** Act on too many calls that failed or were slow. */
	abstract void exceeded(Counts counts, long now);

	/** Return the same phase with nothing counted. */
	abstract Counting emptied();

	@Override
	final void conform() {
		BreakerSettings settings = this.circuit.limits().settings();
		if (!settings.window().equals(this.counted.window())
				|| !Objects.equals(settings.slowCall(), this.counted.slowCall())) {
			this.circuit.move(this, emptied());
		}
	}

	@Override
	final Counting tryAcquire(long now) {
		return this;
	}

	@Override
	final boolean isPermitting(long now) {
		return true;
	}

	@Override
	final Counts counts(long now) {
		return this.window.counts(now);
	}

	@Override
	public final void succeeded(long nanos, long now) {
		boolean slow = this.circuit.limits().isSlow(nanos);
		this.window.record(false, slow, now);
		if (slow) {
			evaluate(now);
		}
	}

	@Override
	public final void failed(long nanos, long now, @Nullable Throwable failure) {
		this.window.record(true, this.circuit.limits().isSlow(nanos), now);
		evaluate(now);
	}

	private void evaluate(long now) {
		if (this.circuit.isCurrent(this)) {
			Counts counts = counts(now);
			if (this.circuit.limits().isTooMuch(counts)) {
				exceeded(counts, now);
			}
		}
	}

}
