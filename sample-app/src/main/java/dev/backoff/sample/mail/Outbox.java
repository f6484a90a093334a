package dev.backoff.sample.mail;

import java.util.List;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The mails that are not sent yet. The row of a mail is written before the first attempt,
 * so that the mail outlives the process.
 */
@Repository
public class Outbox {

	private final JdbcClient jdbc;

	Outbox(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Add the confirmation of an order.
	 * @param order its number
	 */
	public void add(long order) {
		this.jdbc.sql("insert into mail_outbox (order_id) values (?)").param(order).update();
	}

	List<Long> unsent() {
		return this.jdbc.sql("select order_id from mail_outbox order by order_id").query(Long.class).list();
	}

	void sent(long order) {
		this.jdbc.sql("delete from mail_outbox where order_id = ?").param(order).update();
	}

}
