/** How long it takes to refuse a retry or a call. */
@NullMarked
package dev.backoff.benchmarks.refusals;

import org.jspecify.annotations.NullMarked;
