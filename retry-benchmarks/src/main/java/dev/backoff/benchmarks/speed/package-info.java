/** What retries cost, as tables. */
@NullMarked
package dev.backoff.benchmarks.speed;

import org.jspecify.annotations.NullMarked;
