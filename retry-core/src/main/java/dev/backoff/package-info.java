/**
 * One call: an operation, a policy, and the decision after each attempt.
 * <p>
 * A driver makes an attempt; the decider answers "again after this delay" or "stop,
 * because"; the driver waits; events are published. {@link dev.backoff.Retry} is the way
 * in, {@link dev.backoff.policy.RetryPolicy} says what is retried, how often, until when
 * and how spaced. {@link dev.backoff.Attempt} is what the operation sees.
 * <p>
 * A call passes these types in this order. {@code BlockingDriver}, {@code AsyncCall} or
 * {@code ResumedAttempt} drives it from attempt to attempt. {@code CallState} has its
 * attempt and its deadline; the {@code CallStack} of a thread lends one to each call that
 * runs there. {@code CallSteps} asks the {@code OverloadGuard} for the permit of an
 * attempt. {@code AttemptLimit} bounds the attempt, and {@code AttemptContext} connects
 * it with its requests, with other threads and with the calls inside.
 * {@code FailureRules} make an {@code Outcome} of a failure, which {@code AttemptHistory}
 * keeps. {@code RetryDecider} makes a {@code Decision} of the {@code DecisionInput}.
 * {@code CallRegistry} has the calls that wait. A {@code CallResult} is the end of a
 * call, {@code Recovery} included. {@code CallEvents} publishes each step.
 */
@NullMarked
package dev.backoff;

import org.jspecify.annotations.NullMarked;
