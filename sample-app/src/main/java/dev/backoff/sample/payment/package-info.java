/** Payments, and the polling of their status until it is final. */
@NullMarked
package dev.backoff.sample.payment;

import org.jspecify.annotations.NullMarked;
