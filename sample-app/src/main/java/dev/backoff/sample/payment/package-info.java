/**
 * Payments: what is known of them, and asking until the answer is final.
 */
@NullMarked
package dev.backoff.sample.payment;

import org.jspecify.annotations.NullMarked;
