package dev.backoff.sample.payment;

/** The status of a payment. */
public enum PaymentStatus {

	/** The partner has not decided. */
	PENDING,

	/** The payment succeeded. */
	PAID,

	/** The payment failed. */
	FAILED,

	/** No answer came in time. A later notice may change it into {@link #PAID}. */
	TIMEOUT

}
