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

	/** The policy does not retry this failure. */
	NOT_RETRYABLE,

	/** An inner call has already retried this failure; retries here would multiply. */
	NESTED,

	/** Retries are switched off. */
	DISABLED,

	/** All attempts are used. */
	ATTEMPTS_EXHAUSTED,

	/** The circuit breaker does not permit another attempt. */
	BREAKER_OPEN,

	/** The policy's concurrency limit has no free permit, and its queue is full. */
	CONCURRENCY,

	/** The queue for a turn of the policy's pace is full. */
	PACE,

	/** The server asked for a longer wait than allowed, or not to be called again. */
	HINT,

	/** The next attempt would not fit before the deadline. */
	DEADLINE,

	/** The shared budget of retries is spent, or bars retries after timeouts. */
	BUDGET,

	/** The waiting thread or the attempt was interrupted. */
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
