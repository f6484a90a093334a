package dev.backoff.sample.order;

import org.jspecify.annotations.Nullable;

/**
 * An order could not be placed, and its stock is free again. The cause says why.
 */
public class OrderFailedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	OrderFailedException(@Nullable Throwable cause) {
		super("The order could not be placed", cause);
	}

}
