package dev.backoff.budget;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The right to retry without a token: of one retry at a time, until one times out or
 * three in a row fail. Thread-safe.
 */
final class FreeRetry {

	private static final int CHANCES = 3;

	/* How many may still fail: 0 if none may go, and negative while one goes. */
	private final AtomicInteger chances = new AtomicInteger();

	boolean tryTake() {
		int left = this.chances.get();
		return left > 0 && this.chances.compareAndSet(left, -left);
	}

	/**
	 * Note the end of a retry or of its call.
	 * @param went whether it went without a token
	 * @param next whether the next one may go, since a call that waited has succeeded
	 * @param answered whether another may go after a retry that has failed
	 */
	void ended(boolean went, boolean next, boolean answered) {
		int left = this.chances.get();
		if (went ? left < 0 : left == 0) {
			this.chances.compareAndSet(left, next ? CHANCES : (went && answered) ? -left - 1 : 0);
		}
	}

	/** Let none go, since there are tokens again. */
	void reset() {
		this.chances.set(0);
	}

}
