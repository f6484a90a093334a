package dev.backoff.sample.order;

import org.springframework.stereotype.Service;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.sample.partner.PartnerClient;

/** Place orders. */
@Service
public class OrderService {

	private final Reservations reservations;

	private final Orders orders;

	private final PartnerClient partner;

	OrderService(Reservations reservations, Orders orders, PartnerClient partner) {
		this.reservations = reservations;
		this.orders = orders;
		this.partner = partner;
	}

	/**
	 * Reserve the stock and authorise the payment. Both happen once for any number of
	 * attempts, because all attempts have the same key: a unique key for the stock, a
	 * header for the partner.
	 */
	@Backoff(value = "order-creation", shape = "linear", base = "100ms", maxAttempts = "4", idempotent = "by-key",
			breaker = "payment-gateway", abortOn = OutOfStockException.class, recover = "giveUp")
	Order place(NewOrder wanted) {
		String key = Attempt.current().idempotencyKey();
		Order order = this.reservations.reserve(key, wanted);
		this.partner.authorise(order.trade(), order.amountCents(), key);
		return this.orders.authorised(order);
	}

	/**
	 * Release the stock, then fail. A call that the breaker refused has taken none. After
	 * a lost answer the payment may be authorised; a real shop would cancel it here, with
	 * the same key.
	 */
	Order giveUp(NewOrder wanted, RetriesStoppedException report) {
		String key = report.idempotencyKey();
		if (key != null) {
			this.reservations.release(key);
		}
		throw new OrderFailedException(report.failure());
	}

}
