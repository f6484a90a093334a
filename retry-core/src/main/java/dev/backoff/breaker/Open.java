package dev.backoff.breaker;

import org.jspecify.annotations.Nullable;

import dev.backoff.window.OutcomeWindow.Counts;

/** Refuse all calls for a time; the first call after it becomes the first probe. */
final class Open extends Phase {

	private static final long BY_HAND = -1;

	private final Circuit circuit;

	private final int opensBefore;

	private final Counts counts;

	private final Wait wait;

	/* What the wait was drawn from, in nanoseconds. */
	private final long longest;

	private Open(Circuit circuit, int opensBefore, Counts counts, Wait wait, long longest) {
		this.circuit = circuit;
		this.opensBefore = opensBefore;
		this.counts = counts;
		this.wait = wait;
		this.longest = longest;
	}

	/** Stay open for a time drawn from the upper half of the longest one. */
	static Open drawn(Circuit circuit, int opensBefore, Counts counts, long now) {
		long longest = circuit.limits().longestOpen(opensBefore);
		long least = longest - longest / 2;
		long drawn = least + (long) (circuit.draw() * (longest - least));
		return new Open(circuit, opensBefore, counts, new Wait(now, Math.min(longest, drawn)), longest);
	}

	/** Stay open for the given time, which no change of the settings scales. */
	static Open byHand(Circuit circuit, int opensBefore, Wait wait) {
		return new Open(circuit, opensBefore, Counts.NONE, wait, BY_HAND);
	}

	@Override
	void conform() {
		long present = this.circuit.limits().longestOpen(this.opensBefore);
		if (this.longest != BY_HAND && this.longest != present) {
			Wait scaled = this.wait.scaled((double) present / this.longest, present);
			this.circuit.move(this, new Open(this.circuit, this.opensBefore, this.counts, scaled, present));
		}
	}

	@Override
	BreakerState state() {
		return BreakerState.OPEN;
	}

	@Override
	CallPermits.@Nullable Permit tryAcquire(long now) {
		if (!this.wait.isOver(now)) {
			return null;
		}
		// the probe is taken last, since what a listener runs may overflow the stack
		this.circuit.move(this, new HalfOpen(this.circuit, this.opensBefore + 1, now));
		return this.circuit.current().tryAcquire(now);
	}

	@Override
	boolean isPermitting(long now) {
		return this.wait.isOver(now);
	}

	@Override
	long nanosToPermit(long now) {
		return this.wait.left(now);
	}

	@Override
	long nanosOpen(long now) {
		return this.wait.elapsed(now);
	}

	@Override
	int opensBefore() {
		return this.opensBefore;
	}

	@Override
	Counts counts(long now) {
		return this.counts;
	}

}
