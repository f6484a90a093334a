/**
 * Time: a monotonic ticker, sleeping and a timer, and arithmetic on nanoseconds that
 * saturates instead of overflowing.
 */
@NullMarked
package dev.backoff.time;

import org.jspecify.annotations.NullMarked;
