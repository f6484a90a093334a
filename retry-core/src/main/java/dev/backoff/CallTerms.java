package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.policy.RetryPolicy;
import dev.backoff.throttle.Throttle;
import dev.backoff.time.RetryTime;

/**
 * What calls run under, shared by all of one retry: very many of them may wait at once.
 */
record CallTerms(RetryPolicy policy, String method, RetryTime time, Guards.Switch retries,
		@Nullable Throttle throttle) {

	private static final RetryPolicy NO_POLICY = RetryPolicy.builder("none").maxAttempts(1).build();

	static final CallTerms NONE = ofDeadline(RetryTime.system());

	/** Return what a deadline from outside stands for. */
	static CallTerms ofDeadline(RetryTime time) {
		return new CallTerms(NO_POLICY, "none", time, () -> null, null);
	}

}
