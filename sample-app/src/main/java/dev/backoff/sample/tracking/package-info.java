/**
 * Where a parcel is: a reactive way to call a partner.
 */
@NullMarked
package dev.backoff.sample.tracking;

import org.jspecify.annotations.NullMarked;
