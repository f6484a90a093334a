/**
 * One call: an operation, a policy, and the decision after each attempt.
 * <p>
 * A driver makes an attempt. The decider answers "again after this delay" or "stop,
 * because", the driver waits or ends the call, and each step is published.
 * {@link dev.backoff.Retry} is the entry point. {@link dev.backoff.policy.RetryPolicy}
 * says what is retried, how often, until when and with which delays.
 * {@link dev.backoff.Attempt} describes the running attempt to the operation.
 * <p>
 * A call uses these types in this order. {@code BlockingDriver}, {@code AsyncCall} or
 * {@code ResumedAttempt} drives the call from attempt to attempt. {@code CallState} holds
 * its attempt number and its deadline; a blocking call borrows one from the
 * {@code CallStack} of its thread. {@code CallSteps} asks the {@code OverloadGuard} for
 * the permit of an attempt. {@code AttemptLimit} bounds the attempt, and
 * {@code AttemptContext} connects the attempt with its requests, with other threads and
 * with the calls inside. {@code FailureRules} turn a failure into an {@code Outcome},
 * which {@code AttemptHistory} keeps. {@code RetryDecider} turns the
 * {@code DecisionInput} into a {@code Decision} and takes the token of a retry, which
 * {@code CallSteps} puts back if the call succeeds. {@code CallRegistry} lists the calls
 * that wait. A {@code CallResult} is the end of a call, {@code Recovery} included.
 * {@code CallEvents} publishes each step; {@code CallRecorder} is where meters begin.
 */
@NullMarked
package dev.backoff;

import org.jspecify.annotations.NullMarked;
