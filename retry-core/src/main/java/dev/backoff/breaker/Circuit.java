package dev.backoff.breaker;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Function;

import dev.backoff.delay.RandomSource;
import dev.backoff.time.RetryTime;

/** What the phases of a breaker share: limits, time, and which of them is current. */
abstract class Circuit {

	private static final AtomicReferenceFieldUpdater<Circuit, Phase> PHASE = AtomicReferenceFieldUpdater
		.newUpdater(Circuit.class, Phase.class, "phase");

	private final RetryTime time;

	private final RandomSource random;

	private volatile Limits limits;

	private volatile Phase phase;

	Circuit(BreakerSettings settings, RetryTime time, RandomSource random, Function<Circuit, Phase> first) {
		this.time = time;
		this.random = RandomSource.safe(random, (ex) -> {
		});
		this.limits = Limits.of(settings);
		this.phase = first.apply(this);
	}

	/** Make another one with the same numbers, and the state if it was set by hand. */
	Circuit(Circuit other) {
		this.time = other.time;
		this.random = other.random;
		this.limits = other.limits;
		Phase seen = other.phase;
		this.phase = (seen instanceof ForcedOpen || seen instanceof Disabled) ? seen : new Closed(this);
	}

	/** Return the phase that calls meet now. */
	final Phase current() {
		return this.phase;
	}

	final boolean isCurrent(Phase seen) {
		return this.phase == seen;
	}

	final Limits limits() {
		return this.limits;
	}

	/*
	 * New limits are written before the current phase conforms to them. A phase reads the
	 * limits before it becomes current, so it conforms once more afterwards.
	 */

	/** Go on with other numbers in the same state. */
	final void limit(BreakerSettings settings) {
		this.limits = Limits.of(settings);
		current().conform();
	}

	/** Leave one phase for another, unless it has been left already. */
	final boolean move(Phase from, Phase to) {
		boolean moved = PHASE.compareAndSet(this, from, to);
		if (moved) {
			entered(from, to);
		}
		return moved;
	}

	/** Leave the current phase for another. */
	final void enter(Phase next) {
		entered(PHASE.getAndSet(this, next), next);
	}

	private void entered(Phase before, Phase next) {
		next.conform();
		if (before.state() != next.state()) {
			moved(before.state(), next.state());
		}
	}

	/** Tell that the breaker has gone from one state to another. */
	abstract void moved(BreakerState from, BreakerState to);

	final long now() {
		return this.time.nanoTime();
	}

	final double draw() {
		return this.random.next();
	}

}
