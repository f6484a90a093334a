/** A program without Spring, and its tests. */
@NullMarked
package dev.backoff.kit;

import org.jspecify.annotations.NullMarked;
