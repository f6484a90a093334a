package dev.backoff.sample.logistics;

import java.util.List;

import org.springframework.stereotype.Service;

import dev.backoff.annotation.Backoff;
import dev.backoff.sample.order.Orders;
import dev.backoff.sample.partner.PartnerClient;

/** Announce shipments to logistics. */
@Service
public class LogisticsService {

	private final Orders orders;

	private final PartnerClient partner;

	LogisticsService(Orders orders, PartnerClient partner) {
		this.orders = orders;
		this.partner = partner;
	}

	/**
	 * Announce all orders that are ready; retry after 5 s and after 10 s. The request is
	 * a PUT, which is safe to repeat.
	 */
	@Backoff(value = "logistics-sync", ladder = { "5s", "10s" })
	List<Long> sync() {
		List<Long> ready = this.orders.awaitingShipment();
		if (!ready.isEmpty()) {
			this.partner.announceShipments(ready);
			this.orders.shipped(ready);
		}
		return ready;
	}

}
