package dev.backoff.sample.mail;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

import dev.backoff.annotation.Backoff;

/**
 * Send the mails in the outbox, periodically. The row of a round is in the database, so a
 * round that fails goes on after a restart, and several shops on one database make each
 * round once.
 */
@Component
@Profile("durable")
class KeptMailJob {

	private final OrderMails mails;

	KeptMailJob(OrderMails mails) {
		this.mails = mails;
	}

	/** Wait up to 10 s, 20 s, 40 s and so on, ten times: three hours at most. */
	@Backoff(value = "mail-job", durable = "true", schedule = "every ${shop.mail.every}", base = "10s",
			multiplier = "2", cap = "5120s", maxAttempts = "11", idempotent = "true")
	void send() {
		this.mails.sendUnsent();
	}

}
