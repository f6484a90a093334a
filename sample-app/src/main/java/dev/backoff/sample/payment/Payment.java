package dev.backoff.sample.payment;

/**
 * A payment.
 *
 * @param trade its trade number
 * @param orderId the order that is paid
 * @param status its status
 */
public record Payment(String trade, long orderId, PaymentStatus status) {
}
