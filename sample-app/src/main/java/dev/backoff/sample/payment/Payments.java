package dev.backoff.sample.payment;

import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.web.server.ResponseStatusException;

/**
 * The payments' rows. Whoever learns of a status, by asking, by notice or by waiting too
 * long, comes here; what may follow what is decided in one statement each, so that it
 * holds whoever comes first.
 */
@Repository
public class Payments {

	private final JdbcClient jdbc;

	Payments(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Return a payment.
	 * @param trade its trade number
	 * @return the payment as it stands now
	 * @throws ResponseStatusException (404) if there is none
	 */
	public Payment get(String trade) {
		return this.jdbc.sql("select trade, order_id, status from payment where trade = ?")
			.param(trade)
			.query(Payment.class)
			.optional()
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "no such payment"));
	}

	/** Enter what the partner says, which ends a timeout too. */
	Payment settle(String trade, PaymentStatus status) {
		this.jdbc.sql("""
				update payment set status = ?, changed_at = current_timestamp
				where trade = ? and status in ('PENDING', 'TIMEOUT')""").params(status.name(), trade).update();
		return get(trade);
	}

	/** Stop expecting an answer, unless there is one by now. */
	Payment timeOut(String trade) {
		this.jdbc.sql("""
				update payment set status = 'TIMEOUT', changed_at = current_timestamp
				where trade = ? and status = 'PENDING'""").param(trade).update();
		return get(trade);
	}

}
