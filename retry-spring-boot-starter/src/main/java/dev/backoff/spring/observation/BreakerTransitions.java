package dev.backoff.spring.observation;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

import dev.backoff.breaker.BreakerState;

/**
 * Count the transitions of a breaker from the beginning, and publish them once there is a
 * registry. Thread-safe.
 */
final class BreakerTransitions {

	private static final BreakerState[] STATES = BreakerState.values();

	private final GuardedRegistry registry;

	private final String breaker;

	private final Moves[] moves = new Moves[STATES.length * STATES.length];

	BreakerTransitions(GuardedRegistry registry, String breaker) {
		this.registry = registry;
		this.breaker = breaker;
		Arrays.setAll(this.moves, (index) -> new Moves());
	}

	void add(BreakerState from, BreakerState to) {
		moves(from, to).count.increment();
	}

	/** Publish the transitions that need no operator, and those that have happened. */
	void publish() {
		for (BreakerState from : STATES) {
			for (BreakerState to : STATES) {
				if (needsNoOperator(from, to) || moves(from, to).count.sum() > 0) {
					publish(from, to);
				}
			}
		}
	}

	void publish(BreakerState from, BreakerState to) {
		Moves moves = moves(from, to);
		if (moves.published.compareAndSet(false, true)) {
			this.registry.counter(BackoffMeters.BREAKER_TRANSITIONS, moves, (counted) -> counted.count.sum(),
					this.breaker, from.tag(), to.tag());
		}
	}

	private static boolean needsNoOperator(BreakerState from, BreakerState to) {
		return switch (from) {
			case CLOSED -> to == BreakerState.OPEN;
			case OPEN -> to == BreakerState.HALF_OPEN;
			case HALF_OPEN -> to == BreakerState.OPEN || to == BreakerState.CLOSED;
			case FORCED_OPEN, DISABLED, METRICS_ONLY -> false;
		};
	}

	@SuppressWarnings("EnumOrdinal") // an index within this process, never stored
	private Moves moves(BreakerState from, BreakerState to) {
		return this.moves[from.ordinal() * STATES.length + to.ordinal()];
	}

	/** Moves from one state to another. */
	private static final class Moves {

		private final LongAdder count = new LongAdder();

		private final AtomicBoolean published = new AtomicBoolean();

	}

}
