package dev.backoff.kit;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.durable.DurableCall;
import dev.backoff.event.RetriesStoppedException;

/** The methods of the page for shops. */
public class Shop {

	private final Partners partners;

	Shop(Partners partners) {
		this.partners = partners;
	}

	@Backoff(value = "order-creation", idempotent = "by-key", recover = "release")
	public String place(String order) {
		return this.partners.pay(order, Attempt.current().idempotencyKey());
	}

	String release(String order, RetriesStoppedException report) {
		this.partners.releaseStock(order);
		return "released after " + report.attempts() + " attempts";
	}

	@Backoff(value = "merchant-callback", durable = "true", key = "#trade", idempotent = "by-key", recover = "park")
	public void notifyMerchant(String trade) {
		this.partners.notify(trade, Attempt.current().idempotencyKey());
	}

	void park(String trade, RetriesStoppedException report) {
		this.partners.park(trade, report.attempts());
	}

	@Backoff("logistics-sync")
	public int syncShipments() {
		return this.partners.sync();
	}

	@Backoff(value = "payment-watch", durable = "true", key = "#trade", until = "#result != 'PENDING'",
			recover = "timeOut")
	public DurableCall<String> watch(String trade) {
		return DurableCall.result(this.partners.status(trade));
	}

	void timeOut(String trade) {
		this.partners.timeOut(trade);
	}

	/** Services of others, and the shop's own tables. */
	interface Partners {

		String pay(String order, String key);

		void releaseStock(String order);

		void notify(String trade, String key);

		void park(String trade, int attempts);

		int sync();

		String status(String trade);

		void timeOut(String trade);

	}

}
