/** Durable calls beside their engine alone. */
@NullMarked
package dev.backoff.benchmarks.durable;

import org.jspecify.annotations.NullMarked;
