package dev.backoff.sample.order;

/**
 * What a customer wants.
 *
 * @param sku the article
 * @param quantity how many
 */
record NewOrder(String sku, int quantity) {

	NewOrder {
		if (quantity < 1) {
			throw new IllegalArgumentException("Invalid quantity (%d): must be at least 1.".formatted(quantity));
		}
	}

}
