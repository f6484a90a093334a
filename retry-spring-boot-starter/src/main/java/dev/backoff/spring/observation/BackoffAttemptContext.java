package dev.backoff.spring.observation;

import java.time.Duration;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;

/**
 * What is known of an attempt that is observed. There is nothing of its arguments, nor of
 * its result. Used by the thread that drives the call.
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

	/**
	 * Return the policy's name.
	 * @return the name
	 */
	public String policy() {
		return this.policy;
	}

	/**
	 * Return the method, or the label of a programmatic call.
	 * @return for instance {@code OrderService.place}
	 */
	public String method() {
		return this.method;
	}

	/**
	 * Return which attempt it is.
	 * @return the number, counted from 1
	 */
	public int number() {
		return this.number;
	}

	/**
	 * Return the delay that was chosen before the attempt.
	 * @return zero if there was none
	 */
	public Duration delay() {
		return this.delay;
	}

	/**
	 * Return how the attempt ended.
	 * @return the outcome, or null while it runs
	 */
	public @Nullable AttemptOutcome outcome() {
		return this.outcome;
	}

	void ends(AttemptOutcome outcome) {
		this.outcome = outcome;
	}

}
