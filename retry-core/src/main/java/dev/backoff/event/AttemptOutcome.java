package dev.backoff.event;

import java.util.Locale;

import dev.backoff.breaker.CircuitBreaker.Verdict;

/**
 * How one attempt ended.
 *
 * @since 0.1
 */
public enum AttemptOutcome {

	/** A good result, or a part of it before the caller cancelled. */
	SUCCESS(Verdict.ANSWERED),

	/** A result that is not final yet, in polling. */
	PENDING(Verdict.ANSWERED),

	/** A result that counts as a failure. */
	RESULT(Verdict.FAILED),

	/** A failure that may pass. */
	TRANSIENT(Verdict.FAILED),

	/** A refusal because of load. */
	THROTTLED(Verdict.FAILED),

	/** A failure that will not pass. */
	PERMANENT(Verdict.ANSWERED),

	/** A failure, other than a timeout, that {@code abort-on} names. */
	ABORTED(Verdict.ANSWERED),

	/** The attempt took too long. */
	TIMEOUT(Verdict.FAILED),

	/** The attempt was cancelled or interrupted. */
	CANCELLED(Verdict.IGNORED),

	/** An {@link Error}. */
	ERROR(Verdict.IGNORED);

	private final String tag = name().toLowerCase(Locale.ROOT);

	private final Verdict verdict;

	AttemptOutcome(Verdict verdict) {
		this.verdict = verdict;
	}

	/**
	 * {@return the verdict on the dependency, for a circuit breaker}
	 */
	public Verdict verdict() {
		return this.verdict;
	}

	/**
	 * {@return the value of the metric tag {@code outcome}; the name in lower case}
	 */
	public String tag() {
		return this.tag;
	}

}
