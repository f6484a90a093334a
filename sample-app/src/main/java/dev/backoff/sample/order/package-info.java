/** Orders. Stock is reserved once per call, for any number of attempts at the payment. */
@NullMarked
package dev.backoff.sample.order;

import org.jspecify.annotations.NullMarked;
