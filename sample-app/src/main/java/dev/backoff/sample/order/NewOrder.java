package dev.backoff.sample.order;

/**
 * What a customer wants.
 *
 * @param sku the article
 * @param quantity how many
 */
record NewOrder(String sku, int quantity) {
}
