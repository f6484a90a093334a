/**
 * A limit on the number of attempts that run at once.
 * <p>
 * A thread pool limits the work that runs at once; virtual threads and futures have no
 * such limit. A permit is held for one attempt only, so that a call which waits for its
 * next attempt does not block other calls.
 */
@NullMarked
package dev.backoff.concurrency;

import org.jspecify.annotations.NullMarked;
