package dev.backoff.breaker;

import org.jspecify.annotations.Nullable;

import dev.backoff.window.OutcomeWindow.Counts;

/**
 * Refuse all calls for a time; the first call after it becomes the first probe.
 *
 * @param longest what the timer was drawn from, in nanoseconds
 */
record Open(Circuit circuit, int opensBefore, Counts counts, Wait timer, long longest) implements Phase {

	private static final long BY_HAND = -1;

	/** Stay open for a time drawn from the upper half of the longest one. */
	static Open drawn(Circuit circuit, int opensBefore, Counts counts, long now) {
		long longest = circuit.numbers().longestOpen(opensBefore);
		long least = longest - longest / 2;
		long drawn = least + (long) (circuit.draw() * (longest - least));
		return new Open(circuit, opensBefore, counts, new Wait(now, Math.min(longest, drawn)), longest);
	}

	/** Stay open for the given time, which no change of the settings scales. */
	static Open byHand(Circuit circuit, int opensBefore, Wait wait) {
		return new Open(circuit, opensBefore, Counts.NONE, wait, BY_HAND);
	}

	@Override
	public void conform() {
		long present = this.circuit.numbers().longestOpen(this.opensBefore);
		if (this.longest != BY_HAND && this.longest != present) {
			Wait scaled = this.timer.scaled((double) present / this.longest, present);
			this.circuit.move(this, new Open(this.circuit, this.opensBefore, this.counts, scaled, present));
		}
	}

	@Override
	public BreakerState state() {
		return BreakerState.OPEN;
	}

	@Override
	public CallPermits.@Nullable Permit tryAcquire(long now) {
		if (!this.timer.isOver(now)) {
			return null;
		}
		// the probe is taken last, since what a listener runs may overflow the stack
		this.circuit.move(this, new HalfOpen(this.circuit, this.opensBefore + 1, now));
		return this.circuit.current().tryAcquire(now);
	}

	@Override
	public boolean isPermitting(long now) {
		return this.timer.isOver(now);
	}

	@Override
	public long nanosToPermit(long now) {
		return this.timer.left(now);
	}

	@Override
	public long nanosOpen(long now) {
		return this.timer.elapsed(now);
	}

	@Override
	public Counts counts(long now) {
		return this.counts;
	}

}
