/** Shipping quotes, which the built-in traffic requests. */
@NullMarked
package dev.backoff.sample.quote;

import org.jspecify.annotations.NullMarked;
