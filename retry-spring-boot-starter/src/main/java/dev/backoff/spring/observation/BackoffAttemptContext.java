package dev.backoff.spring.observation;

import java.time.Duration;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;

/**
 * An observed attempt, without its arguments and its result. Used by the thread that
 * drives the call.
 *
 * @since 0.1
 */
public final class BackoffAttemptContext extends Observation.Context {

	private final String policy;

	private final String method;

	private final int number;

	private final Duration delay;

	private @Nullable AttemptOutcome outcome;

	BackoffAttemptContext(String policy, String method, int number, Duration delay) {
		this.policy = policy;
		this.method = method;
		this.number = number;
		this.delay = delay;
	}

	/** Return the policy's name. */
	public String policy() {
		return this.policy;
	}

	/** Return the method, as in {@code OrderService.place}, or a call's label. */
	public String method() {
		return this.method;
	}

	/** Return the number of the attempt, counted from 1. */
	public int number() {
		return this.number;
	}

	/** Return the delay that was chosen before the attempt; zero if there was none. */
	public Duration delay() {
		return this.delay;
	}

	/** Return how the attempt ended, or null while it runs. */
	public @Nullable AttemptOutcome outcome() {
		return this.outcome;
	}

	void ends(AttemptOutcome outcome) {
		this.outcome = outcome;
	}

}
