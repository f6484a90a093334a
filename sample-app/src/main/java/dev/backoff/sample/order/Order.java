package dev.backoff.sample.order;

/**
 * An order.
 *
 * @param id its number
 * @param trade the trade number of its payment
 * @param sku the article
 * @param quantity the number of pieces
 * @param amountCents the price in cents
 * @param status {@code NEW}, {@code AUTHORISED}, {@code SHIPPED} or {@code FAILED}
 */
record Order(long id, String trade, String sku, int quantity, int amountCents, String status) {
}
