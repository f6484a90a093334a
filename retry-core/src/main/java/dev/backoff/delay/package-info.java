/**
 * The delay before retry k: a shape, a cap, then jitter, as functions of k, the previous
 * delay and one uniform draw.
 * <p>
 * The cap comes before the jitter, and no jitter leaves [0, cap]. Clamping after the
 * jitter, a common mistake, puts many late delays exactly on the cap: a herd that was
 * spread at retry 3 is together again at retry 8.
 */
@NullMarked
package dev.backoff.delay;

import org.jspecify.annotations.NullMarked;
