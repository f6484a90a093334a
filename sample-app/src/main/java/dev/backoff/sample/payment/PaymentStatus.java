package dev.backoff.sample.payment;

/**
 * How a payment stands.
 */
public enum PaymentStatus {

	/** Not known yet. */
	PENDING,

	/** The money is there. */
	PAID,

	/** There will be no money. */
	FAILED,

	/** Nobody said in time. A later notice may still turn it into {@link #PAID}. */
	TIMEOUT

}
