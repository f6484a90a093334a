/**
 * How many of the latest calls failed or were slow: over a time or over a number of
 * calls.
 */
@NullMarked
package dev.backoff.window;

import org.jspecify.annotations.NullMarked;
