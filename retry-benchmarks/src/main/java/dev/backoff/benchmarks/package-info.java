/** What retries do to a server that is in trouble, measured: ours beside the peers. */
@NullMarked
package dev.backoff.benchmarks;

import org.jspecify.annotations.NullMarked;
