package dev.backoff.breaker;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Function;

import dev.backoff.delay.RandomSource;
import dev.backoff.time.RetryTime;

/** What the phases of a breaker share: numbers, time, and which of them is current. */
abstract class Circuit {

	private static final AtomicReferenceFieldUpdater<Circuit, Phase> PHASE = AtomicReferenceFieldUpdater
		.newUpdater(Circuit.class, Phase.class, "phase");

	final RetryTime time;

	final RandomSource random;

	private volatile BreakerSettings numbers;

	private volatile Phase phase;

	Circuit(BreakerSettings settings, RetryTime time, RandomSource random, Function<Circuit, Phase> first) {
		this.time = time;
		this.random = random;
		this.numbers = settings;
		this.phase = first.apply(this);
	}

	/** Return the phase that calls meet now. */
	final Phase current() {
		return this.phase;
	}

	final boolean isCurrent(Phase seen) {
		return this.phase == seen;
	}

	final BreakerSettings numbers() {
		return this.numbers;
	}

	/*
	 * New numbers are written before the current phase conforms to them. A phase reads
	 * the numbers before it becomes current, so it conforms once more afterwards.
	 */

	/** Go on with other numbers in the same state. */
	final void renumber(BreakerSettings settings) {
		this.numbers = settings;
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
