package dev.backoff.sample.tracking;

/**
 * Where a parcel is.
 *
 * @param place as the carrier names it
 */
record Tracking(String place) {
}
