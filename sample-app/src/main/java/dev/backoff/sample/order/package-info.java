/**
 * Orders: stock is reserved once per call, however often the payment is tried.
 */
@NullMarked
package dev.backoff.sample.order;

import org.jspecify.annotations.NullMarked;
