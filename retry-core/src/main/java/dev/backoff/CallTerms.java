package dev.backoff;

import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;

/**
 * What a call runs under. Very many calls may wait at once, so those of one retry share
 * it.
 *
 * @param policy what its attempts are made under
 * @param time what its readings are of
 */
record CallTerms(RetryPolicy policy, RetryTime time) {

	/** Of what is no call under a policy: a deadline from outside. */
	static final RetryPolicy NO_POLICY = RetryPolicy.builder("none").maxAttempts(1).build();

	static final CallTerms NONE = new CallTerms(NO_POLICY, RetryTime.system());

}
