package dev.backoff.sample.payment;

import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.web.server.ResponseStatusException;

/**
 * The rows of payments. Each change of a status, by polling, by notice or by timeout, is
 * one statement that checks the status before, so that the order of concurrent changes
 * does not matter.
 */
@Repository
public class Payments {

	private final JdbcClient jdbc;

	Payments(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * {@return the current state of a payment}
	 * @param trade its trade number
	 * @throws ResponseStatusException (404) if there is none
	 */
	public Payment get(String trade) {
		return this.jdbc.sql("select trade, order_id, status from payment where trade = ?")
			.param(trade)
			.query(Payment.class)
			.optional()
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "no such payment"));
	}

	/** Store the status of the partner, which may replace a timeout. */
	Payment settle(String trade, PaymentStatus status) {
		this.jdbc.sql("""
				update payment set status = ?, changed_at = current_timestamp
				where trade = ? and status in ('PENDING', 'TIMEOUT')""").params(status.name(), trade).update();
		return get(trade);
	}

	/** Set a timeout, unless the status is final. */
	Payment timeOut(String trade) {
		this.jdbc.sql("""
				update payment set status = 'TIMEOUT', changed_at = current_timestamp
				where trade = ? and status = 'PENDING'""").param(trade).update();
		return get(trade);
	}

}
