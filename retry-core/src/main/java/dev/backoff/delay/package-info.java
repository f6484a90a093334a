/**
 * The delay before retry k. A shape, then a cap, then jitter compute it from k, the
 * previous delay and one uniform draw.
 * <p>
 * The cap is applied before the jitter, and every jittered delay is between 0 and the
 * cap. To apply the cap after the jitter is a common mistake: many late delays are then
 * equal to the cap, and clients that were spread at retry 3 return together at retry 8.
 */
@NullMarked
package dev.backoff.delay;

import org.jspecify.annotations.NullMarked;
