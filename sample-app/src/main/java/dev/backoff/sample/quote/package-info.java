/**
 * Shipping quotes: what the built-in traffic asks for.
 */
@NullMarked
package dev.backoff.sample.quote;

import org.jspecify.annotations.NullMarked;
