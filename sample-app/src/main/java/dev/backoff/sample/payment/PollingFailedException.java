package dev.backoff.sample.payment;

import dev.backoff.event.RetriesStoppedException;

/** Thrown if the polling of a payment ends without an answer before its deadline. */
public class PollingFailedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	PollingFailedException(RetriesStoppedException report) {
		super(report.getMessage(), report.failure());
	}

}
