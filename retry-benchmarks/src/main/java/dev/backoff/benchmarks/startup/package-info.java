/**
 * What annotated methods cost when an application starts, measured: time, bytes, classes.
 */
@NullMarked
package dev.backoff.benchmarks.startup;

import org.jspecify.annotations.NullMarked;
