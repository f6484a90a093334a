package dev.backoff.sample.payment;

import org.springframework.stereotype.Service;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.sample.partner.PartnerClient;

/** Ask for the status of a payment until it is final, for at most three minutes. */
@Service
public class PaymentPoller {

	private final Payments payments;

	private final PartnerClient partner;

	PaymentPoller(Payments payments, PartnerClient partner) {
		this.payments = payments;
		this.partner = partner;
	}

	/** Read the row first: a notice during the wait may have settled the payment. */
	@Backoff(value = "payment-polling", ladder = { "1s x5", "5s x5", "10s x10", "30s" }, deadline = "3m",
			until = "#result.status.name != 'PENDING'", recover = "timeOut")
	Payment poll(String trade) {
		Payment payment = this.payments.get(trade);
		if (payment.status() != PaymentStatus.PENDING) {
			return payment;
		}
		PaymentStatus answer = PaymentStatus.valueOf(this.partner.paymentStatus(trade));
		return (answer != PaymentStatus.PENDING) ? this.payments.settle(trade, answer) : payment;
	}

	/** Return {@code TIMEOUT} at the deadline; any other stop is a failure. */
	Payment timeOut(String trade, RetriesStoppedException report) {
		if (report.reason() != StopReason.DEADLINE) {
			throw new PollingFailedException(report);
		}
		return this.payments.timeOut(trade);
	}

}
