package dev.backoff.simulator;

/** A caller has given up an attempt; by its name, a budget knows it as a timeout. */
final class TimedOutException extends Exception {

	private static final long serialVersionUID = 1L;

	TimedOutException() {
		super(null, null, false, false);
	}

}
