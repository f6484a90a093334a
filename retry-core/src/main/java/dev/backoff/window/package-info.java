/**
 * Counts of the latest calls that failed or were slow, over a period of time or over a
 * number of calls.
 */
@NullMarked
package dev.backoff.window;

import org.jspecify.annotations.NullMarked;
