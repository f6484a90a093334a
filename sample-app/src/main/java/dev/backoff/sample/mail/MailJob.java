package dev.backoff.sample.mail;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

import dev.backoff.annotation.Backoff;
import dev.backoff.sample.partner.PartnerClient;

/** Send the mails in the outbox, periodically. */
@Component
class MailJob {

	private final PartnerClient partner;

	private final Outbox outbox;

	MailJob(PartnerClient partner, Outbox outbox) {
		this.partner = partner;
		this.outbox = outbox;
	}

	/** Continue, at each attempt, with the mail that failed before. */
	@Scheduled(initialDelayString = "${shop.mail.every}", fixedDelayString = "${shop.mail.every}")
	@Backoff(value = "mail-job", preset = "short-job", idempotent = "true")
	void send() {
		for (long order : this.outbox.unsent()) {
			this.partner.sendMail(order);
			this.outbox.sent(order);
		}
	}

}
