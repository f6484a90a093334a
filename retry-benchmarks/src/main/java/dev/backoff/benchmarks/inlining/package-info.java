/** Whether the compiler still inlines what a call that succeeds at once runs through. */
@NullMarked
package dev.backoff.benchmarks.inlining;

import org.jspecify.annotations.NullMarked;
