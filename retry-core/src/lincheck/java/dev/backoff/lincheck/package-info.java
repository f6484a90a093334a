/** Lincheck runs these under all interleavings of their threads, up to a number. */
@NullMarked
package dev.backoff.lincheck;

import org.jspecify.annotations.NullMarked;
