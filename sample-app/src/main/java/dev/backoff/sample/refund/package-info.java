/** Refunds: a call of a partner that holds no thread while it waits. */
@NullMarked
package dev.backoff.sample.refund;

import org.jspecify.annotations.NullMarked;
