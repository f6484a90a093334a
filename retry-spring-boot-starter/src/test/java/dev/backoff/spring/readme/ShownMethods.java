package dev.backoff.spring.readme;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import reactor.core.publisher.Mono;

import dev.backoff.Attempt;
import dev.backoff.Retry;
import dev.backoff.RetryContext;
import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.readme.PaymentCallbacks.Merchant;
import dev.backoff.spring.readme.PaymentCallbacks.Payment;
import dev.backoff.spring.readme.PaymentCallbacks.Receipt;

/** The methods that the pages show. */
public class ShownMethods {

	private final Merchant merchant;

	private final Partner stock;

	private final Partner payments;

	private final Client client;

	private final Parked parked;

	private final BackoffMethods methods;

	private final CircuitBreakers breakers;

	private final AsyncTaskExecutor pool = new SimpleAsyncTaskExecutor("pool-");

	ShownMethods(Merchant merchant, Partner partner, Parked parked, BackoffMethods methods, CircuitBreakers breakers) {
		this.merchant = merchant;
		this.stock = partner;
		this.payments = partner;
		this.client = (payment, key) -> CompletableFuture.supplyAsync(() -> merchant.notify(payment, key));
		this.parked = parked;
		this.methods = methods;
		this.breakers = breakers;
	}

	@Backoff(value = "stock-sync", base = "200ms", cap = "20s", maxAttempts = "5", jitter = "30%", deadline = "1m")
	public void syncStock(Warehouse warehouse) {
		this.stock.sync(warehouse);
	}

	@Backoff(value = "payment-callback", idempotent = "by-key", recover = "park")
	public Receipt send(Payment payment) {
		return this.merchant.notify(payment, Attempt.current().idempotencyKey());
	}

	Receipt park(Payment payment, RetriesStoppedException report) {
		return this.parked.keep(payment, report.reason(), report.attempts(), report.idempotencyKey());
	}

	@Backoff(retryWhen = "#result == false")
	public boolean reserve(String sku) {
		return this.stock.reserve(sku);
	}

	@Backoff(ladder = { "1s x5", "5s x5", "10s x10", "30s" }, deadline = "3m",
			until = "#result.status.name != 'PENDING'")
	public Payment awaitPayment(String trade) {
		return this.payments.status(trade);
	}

	@Backoff("payment-callback")
	public CompletableFuture<Receipt> sendLater(Payment payment) {
		return this.client.notifyLater(payment, Attempt.current().idempotencyKey());
	}

	@Backoff("payment-callback")
	public Mono<Receipt> sendReactively(Payment payment) {
		return Mono.fromFuture(this.client.notifyLater(payment, Attempt.current().idempotencyKey()));
	}

	public Receipt sendNow(Payment payment) {
		return this.methods.retry("payment-callback").call(() -> this.merchant.notify(payment, "key"));
	}

	public Future<Receipt> sendOnPool(Payment payment) {
		return this.pool.submit(RetryContext.capture().wrap(() -> this.merchant.notify(payment, "key")));
	}

	public int stockAt(String warehouse) throws IOException {
		return this.breakers.get("warehouse").call(() -> this.stock.count(warehouse));
	}

	static String withoutSpring() {
		RetryPolicy policy = RetryPolicy.builder("orders").base(Duration.ofMillis(200)).maxAttempts(3).build();
		Retry retry = Retry.builder(policy).budget(RetryBudget.of("shop", BudgetSettings.DEFAULTS)).build();
		String order = retry.call(() -> place("o-1"));
		CompletableFuture<String> later = retry.callAsync(() -> placeLater("o-2"));
		return order + ", " + later.join();
	}

	private static CompletableFuture<String> placeLater(String order) {
		return CompletableFuture.completedFuture(order + " placed later");
	}

	private static String place(String order) {
		return order + " placed";
	}

	/** Has stock and knows payments. */
	public interface Partner {

		void sync(Warehouse warehouse);

		boolean reserve(String sku);

		int count(String warehouse) throws IOException;

		Payment status(String trade);

	}

	/** Sends without waiting for the answer. */
	interface Client {

		CompletableFuture<Receipt> notifyLater(Payment payment, String key);

	}

	/** Keeps what could not be sent. */
	public interface Parked {

		Receipt keep(Payment payment, StopReason reason, int attempts, String key);

	}

	/** A place with stock. */
	public record Warehouse(String name) {
	}

}
