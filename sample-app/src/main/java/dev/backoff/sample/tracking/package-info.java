/** Tracking of parcels: a reactive call of a partner. */
@NullMarked
package dev.backoff.sample.tracking;

import org.jspecify.annotations.NullMarked;
