/**
 * How many attempts run at once.
 * <p>
 * A pool of threads bounds what runs at once; virtual threads and futures have none. A
 * permit is held for one attempt only, so that a call which waits for its next attempt
 * keeps no other call out.
 */
@NullMarked
package dev.backoff.concurrency;

import org.jspecify.annotations.NullMarked;
