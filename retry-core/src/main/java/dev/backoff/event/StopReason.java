package dev.backoff.event;

import java.util.Locale;

/**
 * Why a call ended. The name is the word in logs and messages, {@link #tag()} the value
 * of the metric tag {@code stop}.
 *
 * @since 0.1
 */
public enum StopReason {

	/** An attempt gave a good result. */
	SUCCEEDED,

	/** The failure does not deserve another attempt. */
	NOT_RETRYABLE,

	/** An inner call has already retried this failure; doing it again multiplies. */
	NESTED,

	/** Retries are switched off. */
	DISABLED,

	/** All attempts are used. */
	ATTEMPTS_EXHAUSTED,

	/** The circuit breaker does not permit another attempt. */
	BREAKER_OPEN,

	/** As many attempts of the policy run and calls wait as may at once. */
	CONCURRENCY,

	/** The server asked for a longer wait than allowed, or not to be called again. */
	HINT,

	/** The next attempt would not fit before the deadline. */
	DEADLINE,

	/** The shared budget of retries is spent. */
	BUDGET,

	/** The waiting thread was interrupted, or the attempt was. */
	INTERRUPTED,

	/** The caller has cancelled the call, or completed it. */
	CANCELLED,

	/** The application is shutting down. */
	SHUTDOWN,

	/** The executor refused a later attempt. */
	REJECTED,

	/** Too many attempts of a durable call ended with their process. */
	LOST;

	private final String tag = name().toLowerCase(Locale.ROOT);

	/**
	 * {@return the value of the metric tag {@code stop}; the name in lower case}
	 */
	public String tag() {
		return this.tag;
	}

	/**
	 * {@return whether {@code recover} may follow this stop; false for a success, an
	 * interruption and a cancellation}
	 */
	public boolean isRecoverable() {
		return this != SUCCEEDED && this != INTERRUPTED && this != CANCELLED;
	}

}
