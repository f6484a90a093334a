/** A server fails everything: how many requests each library makes of one call. */
@NullMarked
package dev.backoff.benchmarks.outage;

import org.jspecify.annotations.NullMarked;
