package dev.backoff.spring.policy;

import java.util.Locale;

/**
 * The keys of a circuit breaker, as a configuration writes them.
 *
 * @since 0.1
 */
public enum BreakerKey implements SectionKey {

	/** Whose circuit breaker it is. */
	PROVIDER,
	/** Share of failed calls that opens it. */
	FAILURE_RATE,
	/** What a call must exceed to count as slow. */
	SLOW_CALL,
	/** Share of slow calls that opens it. */
	SLOW_CALL_RATE,
	/** How far back it counts. */
	WINDOW,
	/** Calls the window must hold before it opens. */
	MINIMUM_CALLS,
	/** Time it stays open at most. */
	OPEN_FOR,
	/** Growth of that time while probes fail. */
	OPEN_FOR_MULTIPLIER,
	/** Calls it lets through half-open. */
	PROBES,
	/** Time its probes may take. */
	HALF_OPEN_TIMEOUT,
	/** What a refused call does. */
	ON_OPEN;

	private final String key = name().toLowerCase(Locale.ROOT).replace('_', '-');

	/**
	 * {@return the key below the breaker's name; for instance {@code failure-rate}}
	 */
	@Override
	public String key() {
		return this.key;
	}

}
