/**
 * Refunds: one way to call a partner without holding a thread while it is down.
 */
@NullMarked
package dev.backoff.sample.refund;

import org.jspecify.annotations.NullMarked;
