package dev.backoff.spring.readme;

import org.springframework.stereotype.Service;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;

@Service
public class PaymentCallbacks {

	private final Merchant merchant;

	PaymentCallbacks(Merchant merchant) {
		this.merchant = merchant;
	}

	@Backoff(idempotent = "by-key") // the merchant honours the key
	public Receipt send(Payment payment) {
		return this.merchant.notify(payment, Attempt.current().idempotencyKey());
	}

	/** Receives notifications. */
	public interface Merchant {

		Receipt notify(Payment payment, String key);

	}

	/** What is notified. */
	public record Payment(String trade, Status status) {

		/** Where a payment stands. */
		public enum Status {

			PENDING, PAID

		}

	}

	/** What a merchant answers. */
	public record Receipt(String text) {
	}

}
