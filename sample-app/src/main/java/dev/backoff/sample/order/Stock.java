package dev.backoff.sample.order;

/**
 * What can still be ordered.
 *
 * @param sku the article
 * @param available how many
 */
record Stock(String sku, int available) {
}
