package dev.backoff.sample.payment;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

import dev.backoff.annotation.Backoff;
import dev.backoff.durable.DurableCall;
import dev.backoff.durable.DurableCalls;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.sample.partner.PartnerClient;

/**
 * Ask for the status of a payment until it is final, for at most three minutes. The call
 * is stored, so it goes on after a restart, and there is one for each trade number in all
 * shops on one database.
 */
@Service
@Profile("durable")
public class PaymentWatch {

	private static final String POLICY = "payment-watch";

	private final Payments payments;

	private final PartnerClient partner;

	private final DurableCalls calls;

	PaymentWatch(Payments payments, PartnerClient partner, DurableCalls calls) {
		this.payments = payments;
		this.partner = partner;
		this.calls = calls;
	}

	/** Read the row first: an attempt may be repeated after a crash. */
	@Backoff(value = POLICY, durable = "true", key = "#trade", ladder = { "1s x5", "5s x5", "10s x10", "30s" },
			deadline = "3m", until = "#result.status.name != 'PENDING'", recover = "timeOut")
	DurableCall<Payment> start(String trade) {
		Payment payment = this.payments.get(trade);
		if (payment.status() != PaymentStatus.PENDING) {
			return DurableCall.result(payment);
		}
		PaymentStatus answer = PaymentStatus.valueOf(this.partner.paymentStatus(trade));
		return DurableCall.result((answer != PaymentStatus.PENDING) ? this.payments.settle(trade, answer) : payment);
	}

	/** Set a timeout at the deadline; any other stop leaves a dead letter. */
	void timeOut(String trade, RetriesStoppedException report) {
		if (report.reason() != StopReason.DEADLINE) {
			throw new PollingFailedException(report);
		}
		this.payments.timeOut(trade);
	}

	/** End the watch of a payment whose notice has come. */
	void end(String trade) {
		this.calls.end(POLICY, trade);
	}

}
