/** Shipments, and their announcement to logistics. */
@NullMarked
package dev.backoff.sample.logistics;

import org.jspecify.annotations.NullMarked;
