/** A light load, so that the meters move at once. */
@NullMarked
package dev.backoff.sample.traffic;

import org.jspecify.annotations.NullMarked;
