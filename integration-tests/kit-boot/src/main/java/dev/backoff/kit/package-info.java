/** A small application whose tests use {@code retry-test}. */
@NullMarked
package dev.backoff.kit;

import org.jspecify.annotations.NullMarked;
