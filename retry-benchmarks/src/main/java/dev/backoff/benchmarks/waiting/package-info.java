/** What calls cost that wait, measured: bytes, threads, and how late they go on. */
@NullMarked
package dev.backoff.benchmarks.waiting;

import org.jspecify.annotations.NullMarked;
