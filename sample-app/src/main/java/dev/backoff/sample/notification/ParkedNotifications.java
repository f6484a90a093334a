package dev.backoff.sample.notification;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Repository;

import dev.backoff.event.RetriesStoppedException;
import dev.backoff.sample.payment.Payment;

/** The rows of {@code notification_parked}. */
@Repository
class ParkedNotifications {

	private final JdbcClient jdbc;

	ParkedNotifications(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	long park(Payment payment, String key, RetriesStoppedException report) {
		Throwable failure = (report.failure() != null) ? report.failure() : report;
		GeneratedKeyHolder id = new GeneratedKeyHolder();
		this.jdbc.sql("""
				insert into notification_parked
					(order_id, trade, policy, stop_reason, attempts, failure_class, idempotency_key, elapsed_ms)
				values (?, ?, ?, ?, ?, ?, ?, ?)""")
			.params(payment.orderId(), payment.trade(), report.policy(), report.reason().name(), report.attempts(),
					failure.getClass().getName(), key, report.elapsed().toMillis())
			.update(id, "id");
		return Objects.requireNonNull(id.getKey()).longValue();
	}

	List<ParkedNotification> all() {
		return this.jdbc.sql("select * from notification_parked order by id").query(ParkedNotification.class).list();
	}

	Optional<ParkedNotification> find(long id) {
		return this.jdbc.sql("select * from notification_parked where id = ?")
			.param(id)
			.query(ParkedNotification.class)
			.optional();
	}

	/**
	 * Claim a row to send it again. Of several claims one succeeds, and none on a
	 * finished row. A claim that is minutes old belongs to a process that died, so it can
	 * be taken over; the key prevents a second effect at the merchant.
	 */
	boolean claim(long id) {
		return this.jdbc.sql("""
				update notification_parked set state = 'REDOING', changed_at = current_timestamp
				where id = ? and (state = 'PARKED'
					or state = 'REDOING' and changed_at < current_timestamp - interval '5' minute)""")
			.param(id)
			.update() == 1;
	}

	void finish(long id) {
		change(id, "DONE");
	}

	void giveBack(long id) {
		change(id, "PARKED");
	}

	private void change(long id, String state) {
		this.jdbc.sql("""
				update notification_parked set state = ?, changed_at = current_timestamp
				where id = ? and state = 'REDOING'""").params(state, id).update();
	}

}
