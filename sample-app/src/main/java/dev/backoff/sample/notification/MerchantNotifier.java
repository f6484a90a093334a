package dev.backoff.sample.notification;

import java.util.UUID;

import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.stereotype.Service;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.sample.partner.PartnerClient;
import dev.backoff.sample.payment.Payment;

/** Notify the merchant of a payment. A notification that cannot be sent is parked. */
@Service
public class MerchantNotifier {

	private final PartnerClient partner;

	private final ParkedNotifications parked;

	MerchantNotifier(PartnerClient partner, ParkedNotifications parked) {
		this.partner = partner;
		this.parked = parked;
	}

	@Backoff(value = "payment-callback", base = "1s", cap = "30s", maxAttempts = "6", idempotent = "by-key",
			recover = "park")
	Notification send(Payment payment) {
		this.partner.notifyMerchant(payment.trade(), Attempt.current().idempotencyKey());
		return Notification.sent(payment.trade());
	}

	/**
	 * Park the notification, with its key in the requests to the merchant. There is no
	 * key if the breaker has rejected the first attempt. When many calls fail together,
	 * five at once reach the database.
	 */
	@ConcurrencyLimit(5)
	Notification park(Payment payment, RetriesStoppedException report) {
		String sent = report.idempotencyKey();
		String key = (sent != null) ? sent : UUID.randomUUID().toString();
		return Notification.parked(payment.trade(), this.parked.park(payment, key, report));
	}

	/**
	 * Send a parked notification. Its original key, which is not this call's, makes
	 * repetitions harmless.
	 */
	@Backoff(value = "notification-redo", preset = "user-facing", idempotent = "true")
	void sendAgain(ParkedNotification notification) {
		this.partner.notifyMerchant(notification.trade(), notification.idempotencyKey());
	}

}
