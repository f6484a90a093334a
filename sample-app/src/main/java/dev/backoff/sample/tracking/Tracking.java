package dev.backoff.sample.tracking;

/**
 * The place of a parcel.
 *
 * @param place the place in the carrier's words
 */
record Tracking(String place) {
}
