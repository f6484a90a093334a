package dev.backoff;

import java.time.Duration;

/**
 * A snapshot of a call that waits for its next attempt. Immutable and thread-safe.
 *
 * @param policy the policy's name
 * @param method the method, or the label of a programmatic call
 * @param attempt the attempt that is over, counted from 1; 0 if the first is still to
 * come, because a breaker has refused it
 * @param dueIn how long it still waits, zero or more; at most so long for a permit
 * @param elapsed how long ago the call began
 * @since 0.1
 */
public record WaitingCall(String policy, String method, int attempt, Duration dueIn, Duration elapsed) {

}
