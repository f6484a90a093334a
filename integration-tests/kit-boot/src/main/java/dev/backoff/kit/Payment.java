package dev.backoff.kit;

/**
 * A payment.
 *
 * @param trade its number
 */
public record Payment(String trade) {
}
