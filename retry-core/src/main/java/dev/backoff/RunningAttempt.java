package dev.backoff;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A snapshot of an attempt that runs. Immutable and thread-safe.
 *
 * @param policy the policy's name
 * @param method the method, or the label of a programmatic call
 * @param attempt the attempt, counted from 1
 * @param elapsed how long ago the attempt began
 * @param thread the name of the thread on which it runs, or null for an asynchronous one
 * @since 0.1
 */
public record RunningAttempt(String policy, String method, int attempt, Duration elapsed, @Nullable String thread) {

	static RunningAttempt of(RetryCall call, @Nullable String thread) {
		return of(call.terms(), call.attempt(), call.turn(), thread);
	}

	static RunningAttempt of(CallTerms terms, int attempt, long began, @Nullable String thread) {
		long elapsed = Math.max(0, terms.time().nanoTime() - began);
		return new RunningAttempt(terms.policy().name(), terms.method(), attempt, Duration.ofNanos(elapsed), thread);
	}

}
