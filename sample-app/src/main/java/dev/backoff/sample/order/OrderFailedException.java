package dev.backoff.sample.order;

import org.jspecify.annotations.Nullable;

/** Thrown if an order could not be placed. Its stock is free again. */
public class OrderFailedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	OrderFailedException(@Nullable Throwable cause) {
		super("The order could not be placed", cause);
	}

}
