/**
 * All that is asked of time: read a monotonic ticker, sleep; and arithmetic on
 * nanoseconds that saturates instead of overflowing.
 */
@NullMarked
package dev.backoff.time;

import org.jspecify.annotations.NullMarked;
