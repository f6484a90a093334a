package dev.backoff.sample.mail;

import org.springframework.context.annotation.Profile;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

import dev.backoff.annotation.Backoff;

/** Send the mails in the outbox, periodically. */
@Component
@Profile("!durable")
class MailJob {

	private final OrderMails mails;

	MailJob(OrderMails mails) {
		this.mails = mails;
	}

	/** Continue, at each attempt, with the mail that failed before. */
	@Scheduled(initialDelayString = "${shop.mail.every}", fixedDelayString = "${shop.mail.every}")
	@Backoff(value = "mail-job", preset = "short-job", idempotent = "true")
	void send() {
		this.mails.sendUnsent();
	}

}
