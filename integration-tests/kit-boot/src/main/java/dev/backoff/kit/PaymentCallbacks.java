package dev.backoff.kit;

import java.util.concurrent.CompletableFuture;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;

/** Notify the merchant of payments, in each way in which a method can give its result. */
@Service
public class PaymentCallbacks {

	private final Merchant merchant;

	PaymentCallbacks(Merchant merchant) {
		this.merchant = merchant;
	}

	@Backoff(value = "payment-callback", base = "1s", cap = "30s", maxAttempts = "6", recover = "park")
	public String send(Payment payment) {
		return this.merchant.notify(payment, Attempt.current().idempotencyKey());
	}

	String park(Payment payment, RetriesStoppedException report) {
		return "parked " + payment.trade() + " after " + report.attempts();
	}

	@Backoff
	public CompletableFuture<String> sendLater(Payment payment) {
		return CompletableFuture.completedFuture(this.merchant.notify(payment, Attempt.current().idempotencyKey()));
	}

	@Backoff
	public Mono<String> sendReactively(Payment payment) {
		String key = Attempt.current().idempotencyKey();
		return Mono.fromSupplier(() -> this.merchant.notify(payment, key));
	}

	@Backoff
	public Flux<String> sendTwice(Payment payment) {
		String key = Attempt.current().idempotencyKey();
		return Flux.just("first", "second").map((part) -> part + " " + this.merchant.notify(payment, key));
	}

	@Async
	@Backoff
	public CompletableFuture<String> sendInBackground(Payment payment) {
		return CompletableFuture.completedFuture(this.merchant.notify(payment, Attempt.current().idempotencyKey()));
	}

	@Async
	@Backoff(value = "mails", maxAttempts = "3")
	public void mail(Payment payment) {
		this.merchant.notify(payment, Attempt.current().idempotencyKey());
	}

	@Backoff(value = "job", maxAttempts = "3")
	@Scheduled(fixedRateString = "1h", initialDelayString = "1h")
	public void report() {
		this.merchant.notify(new Payment("report"), Attempt.current().idempotencyKey());
	}

}
