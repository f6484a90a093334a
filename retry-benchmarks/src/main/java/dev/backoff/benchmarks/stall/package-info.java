/**
 * A server stalls for a moment: how long until it serves again, in virtual and in real
 * time.
 */
@NullMarked
package dev.backoff.benchmarks.stall;

import org.jspecify.annotations.NullMarked;
