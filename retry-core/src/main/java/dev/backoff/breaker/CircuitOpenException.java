package dev.backoff.breaker;

import java.io.Serial;
import java.time.Duration;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.backoff.concurrency.ConcurrencyExceededException;
import dev.backoff.pace.PacedException;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * Thrown when a circuit breaker refuses a call, before the work is called. It is never
 * retried, and no breaker counts it as a failure.
 *
 * @since 0.1
 */
public class CircuitOpenException extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	/* Refusals of Resilience4j, Failsafe and Spring. */
	private static final Set<String> OTHERS = Set.of("io.github.resilience4j.circuitbreaker.CallNotPermittedException",
			"io.github.resilience4j.bulkhead.BulkheadFullException",
			"io.github.resilience4j.ratelimiter.RequestNotPermitted", "dev.failsafe.CircuitBreakerOpenException",
			"dev.failsafe.BulkheadFullException", "dev.failsafe.RateLimitExceededException",
			"org.springframework.resilience.InvocationRejectedException");

	/** The breaker's name. */
	private final String breaker;

	/** How long it has been open, or null if unknown. */
	private final @Nullable Duration openFor;

	/** How long until calls may be permitted again, or null if unknown. */
	private final @Nullable Duration timeToProbe;

	/**
	 * Make an exception.
	 * @param breaker the breaker's name
	 * @param state its state, in words
	 * @param openFor how long it has been open, or null if unknown
	 * @param timeToProbe how long until calls may be permitted again, or null if unknown
	 */
	public CircuitOpenException(String breaker, String state, @Nullable Duration openFor,
			@Nullable Duration timeToProbe) {
		super("Circuit breaker " + breaker + " is " + state
				+ ((openFor != null) ? " since " + DurationText.rounded(Nanos.of(openFor)) : "")
				+ ((openFor != null && timeToProbe != null) ? "," : "")
				+ ((timeToProbe != null) ? " for another " + DurationText.rounded(Nanos.of(timeToProbe)) : "")
				+ "; the call was not made.");
		this.breaker = breaker;
		this.openFor = openFor;
		this.timeToProbe = timeToProbe;
	}

	/**
	 * Return whether failures of a type are refusals of a breaker or limit: one of ours,
	 * or one of another library that is known by name. The work was not called.
	 * @param type the type of what a call threw
	 * @return whether they are refusals, which are never retried and which no breaker
	 * counts
	 */
	public static boolean isRefusal(Class<?> type) {
		for (Class<?> above = type; above != null; above = above.getSuperclass()) {
			if (above == CircuitOpenException.class || above == ConcurrencyExceededException.class
					|| above == PacedException.class || OTHERS.contains(above.getName())) {
				return true;
			}
		}
		return false;
	}

	/**
	 * {@return the breaker's name}
	 */
	public String breaker() {
		return this.breaker;
	}

	/**
	 * {@return how long the breaker had been open when it refused the call; zero or more,
	 * or null if unknown}
	 */
	public @Nullable Duration openFor() {
		return this.openFor;
	}

	/**
	 * {@return the time from the refusal until calls may be permitted again; zero or
	 * more, or null if unknown, as for a breaker that was forced open}
	 */
	public @Nullable Duration timeToProbe() {
		return this.timeToProbe;
	}

}
