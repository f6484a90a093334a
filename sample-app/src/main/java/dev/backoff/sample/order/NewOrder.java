package dev.backoff.sample.order;

/**
 * The request for an order.
 *
 * @param sku the article
 * @param quantity the number of pieces
 */
record NewOrder(String sku, int quantity) {

	NewOrder {
		if (quantity < 1) {
			throw new IllegalArgumentException("Invalid quantity (%d): must be at least 1.".formatted(quantity));
		}
	}

}
