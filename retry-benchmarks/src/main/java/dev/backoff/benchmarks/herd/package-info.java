/**
 * Many clients fail at the same moment: when they come back.
 */
@NullMarked
package dev.backoff.benchmarks.herd;

import org.jspecify.annotations.NullMarked;
