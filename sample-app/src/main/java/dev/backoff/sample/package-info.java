/** A small shop whose payment and logistics partners fail now and then. */
@NullMarked
package dev.backoff.sample;

import org.jspecify.annotations.NullMarked;
