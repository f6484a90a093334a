package dev.backoff.spring.policy;

import java.time.Duration;

import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.spring.policy.BackoffProperties.ShapeName;

/**
 * How one policy waits.
 *
 * @param name what the shape is called
 * @param shape the delays before cap and jitter
 * @param jitter how chance spreads them
 * @param cap the longest delay, or the longest duration for none
 * @param throttledBase the least base after a throttled failure
 */
record Delays(ShapeName name, Shape shape, Jitter jitter, Duration cap, Duration throttledBase) {

}
