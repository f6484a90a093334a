package dev.backoff.sample.order;

/**
 * The stock of an article.
 *
 * @param sku the article
 * @param available the number of free pieces
 */
record Stock(String sku, int available) {
}
