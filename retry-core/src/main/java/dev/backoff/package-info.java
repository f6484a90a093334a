/**
 * One call: an operation, a policy, and the decision after each attempt.
 * <p>
 * A driver makes an attempt; the decider answers "again after this delay" or "stop,
 * because"; the driver waits; listeners are told. {@link dev.backoff.Retry} is the way
 * in, {@link dev.backoff.policy.RetryPolicy} says what is retried, how often, until when
 * and how spaced.
 */
@NullMarked
package dev.backoff;

import org.jspecify.annotations.NullMarked;
