/**
 * Shipments: what logistics must know.
 */
@NullMarked
package dev.backoff.sample.logistics;

import org.jspecify.annotations.NullMarked;
