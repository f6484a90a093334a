/** Policies for libraries that make attempts and wait by themselves. */
@NullMarked
package dev.backoff.spring.adapt;

import org.jspecify.annotations.NullMarked;
