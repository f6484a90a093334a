/** Libraries that repeat or wait by themselves, and what the starter says of them. */
@NullMarked
package dev.backoff.libraries;

import org.jspecify.annotations.NullMarked;
