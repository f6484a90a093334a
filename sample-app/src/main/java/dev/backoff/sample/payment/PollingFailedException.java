package dev.backoff.sample.payment;

import dev.backoff.event.RetriesStoppedException;

/**
 * The polling of a payment ended without an answer, and before its deadline.
 */
public class PollingFailedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	PollingFailedException(RetriesStoppedException story) {
		super(story.getMessage(), story.failure());
	}

}
