package dev.backoff.sample.refund;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Service;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.sample.partner.PartnerClient;
import dev.backoff.sample.payment.Payment;

/** Refund payments. */
@Service
public class RefundService {

	private final PartnerClient partner;

	private final Executor executor;

	RefundService(PartnerClient partner, @Qualifier("applicationTaskExecutor") Executor executor) {
		this.partner = partner;
		this.executor = executor;
	}

	/** Ask for a refund. A request holds a thread, a wait between attempts does not. */
	@Backoff(value = "refund", base = "1s", maxAttempts = "6", idempotent = "by-key")
	CompletableFuture<Refund> refund(Payment payment) {
		String key = Attempt.current().idempotencyKey();
		return CompletableFuture.supplyAsync(() -> {
			this.partner.refund(payment.trade(), key);
			return new Refund(payment.trade(), "ACCEPTED");
		}, this.executor);
	}

}
