/** A provider with a quota: what callers get of it who want twice as much. */
@NullMarked
package dev.backoff.benchmarks.quota;

import org.jspecify.annotations.NullMarked;
