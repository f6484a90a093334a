package dev.backoff.sample.refund;

/**
 * A refund.
 *
 * @param trade the trade number of the payment
 * @param state {@code ACCEPTED}
 */
record Refund(String trade, String state) {
}
