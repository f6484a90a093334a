/**
 * What retries cost while nothing fails, and what the library itself adds when something
 * does: ours beside the peers.
 */
@NullMarked
package dev.backoff.benchmarks.speed;

import org.jspecify.annotations.NullMarked;
