package dev.backoff.breaker;

import java.io.Serial;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * A circuit breaker refused the call: nothing was called. It is never retried and never
 * counts as a failure of a breaker.
 *
 * @since 0.1
 */
public class CircuitOpenException extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	/** The breaker's name. */
	private final String breaker;

	/** Its state, in words. */
	private final String state;

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
		super(message(breaker, state, openFor, timeToProbe));
		this.breaker = breaker;
		this.state = state;
		this.openFor = openFor;
		this.timeToProbe = timeToProbe;
	}

	private static String message(String breaker, String state, @Nullable Duration openFor,
			@Nullable Duration timeToProbe) {
		StringBuilder text = new StringBuilder("Circuit breaker ").append(breaker).append(" is ").append(state);
		if (openFor != null) {
			text.append(" since ").append(DurationText.story(Nanos.of(openFor)));
		}
		if (timeToProbe != null) {
			text.append(openFor != null ? ", for another " : " for another ")
				.append(DurationText.story(Nanos.of(timeToProbe)));
		}
		return text.append("; the call was not made.").toString();
	}

	/**
	 * {@return the breaker's name}
	 */
	public String breaker() {
		return this.breaker;
	}

	/**
	 * {@return the breaker's state in words; {@code open}, {@code half-open} or {@code
	 * forced-open}}
	 */
	public String state() {
		return this.state;
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
