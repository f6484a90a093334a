/**
 * Other retries in the application: which there are, and how attempts multiply.
 */
@NullMarked
package dev.backoff.spring.layers;

import org.jspecify.annotations.NullMarked;
