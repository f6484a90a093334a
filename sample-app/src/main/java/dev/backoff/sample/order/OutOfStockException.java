package dev.backoff.sample.order;

/** Thrown if there is less in stock than was ordered, so that a retry does not help. */
public class OutOfStockException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	OutOfStockException(NewOrder wanted) {
		super("Fewer than %d of %s in stock".formatted(wanted.quantity(), wanted.sku()));
	}

}
