package dev.backoff.sample.mail;

import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;

import dev.backoff.annotation.Backoff;
import dev.backoff.sample.partner.PartnerClient;

/** Confirm orders by mail. */
@Service
public class OrderMails {

	private final PartnerClient partner;

	private final Outbox outbox;

	OrderMails(PartnerClient partner, Outbox outbox) {
		this.partner = partner;
		this.outbox = outbox;
	}

	/**
	 * Send the mail, and wait between attempts, on a thread of its own. A mail that fails
	 * stays in the outbox. The order number is the key, so a mail that is sent twice
	 * arrives once.
	 * @param order the order's number
	 */
	@Async
	@Backoff(value = "order-mail", base = "1s", maxAttempts = "3", idempotent = "true")
	public void confirm(long order) {
		this.partner.sendMail(order);
		this.outbox.sent(order);
	}

	/** Send the mails in the outbox, the oldest first. */
	public void sendUnsent() {
		for (long order : this.outbox.unsent()) {
			this.partner.sendMail(order);
			this.outbox.sent(order);
		}
	}

}
