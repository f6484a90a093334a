package dev.backoff.budget;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The right to retry without a token: of one retry at a time, as long as they succeed.
 * Thread-safe.
 */
final class FreeRetry {

	private final AtomicReference<State> state = new AtomicReference<>(State.NONE);

	boolean tryTake() {
		return this.state.compareAndSet(State.NEXT, State.GOING);
	}

	/**
	 * Note the end of a retry or of its call.
	 * @param went whether it went without a token
	 * @param next whether the next one may go, since a call that waited has succeeded
	 */
	void ended(boolean went, boolean next) {
		this.state.compareAndSet(went ? State.GOING : State.NONE, next ? State.NEXT : State.NONE);
	}

	/** Let none go, since there are tokens again. */
	void reset() {
		this.state.set(State.NONE);
	}

	private enum State {

		NONE, NEXT, GOING

	}

}
