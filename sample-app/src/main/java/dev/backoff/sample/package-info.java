/**
 * A small shop whose supplier fails now and then.
 */
@NullMarked
package dev.backoff.sample;

import org.jspecify.annotations.NullMarked;
