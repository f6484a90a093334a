package dev.backoff.sample.order;

/**
 * An order.
 *
 * @param id its number
 * @param trade the trade number of its payment
 * @param sku the article
 * @param quantity how many
 * @param amountCents what it costs
 * @param status {@code NEW}, {@code AUTHORISED}, {@code SHIPPED} or {@code FAILED}
 */
record Order(long id, String trade, String sku, int quantity, int amountCents, String status) {
}
