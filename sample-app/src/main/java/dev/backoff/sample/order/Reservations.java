package dev.backoff.sample.order;

import java.util.Objects;
import java.util.Optional;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/**
 * Reserve stock once per idempotency key, in one transaction with the row of the order.
 */
@Repository
class Reservations {

	private final JdbcClient jdbc;

	private final Orders orders;

	Reservations(JdbcClient jdbc, Orders orders) {
		this.jdbc = jdbc;
		this.orders = orders;
	}

	/**
	 * Return the order of the given key, or create it and take its stock. If two attempts
	 * overlap, the unique key lets one of them commit.
	 */
	@Transactional
	Order reserve(String key, NewOrder wanted) {
		return orderOf(key).flatMap(this.orders::find).orElseGet(() -> {
			take(wanted);
			long order = enter(wanted);
			this.jdbc
				.sql("insert into stock_reservation (idempotency_key, order_id, sku, quantity) values (?, ?, ?, ?)")
				.params(key, order, wanted.sku(), wanted.quantity())
				.update();
			return this.orders.find(order).orElseThrow();
		});
	}

	/** Return the stock of the given key, if it was taken, and fail the order. */
	@Transactional
	void release(String key) {
		orderOf(key).ifPresent((order) -> {
			this.jdbc.sql("""
					update stock set available = available +
						(select quantity from stock_reservation where idempotency_key = :key)
					where sku = (select sku from stock_reservation where idempotency_key = :key)""")
				.param("key", key)
				.update();
			this.jdbc.sql("delete from stock_reservation where idempotency_key = ?").param(key).update();
			this.jdbc.sql("update shop_order set status = 'FAILED' where id = ?").param(order).update();
			this.jdbc.sql("update payment set status = 'FAILED' where order_id = ? and status = 'PENDING'")
				.param(order)
				.update();
		});
	}

	private Optional<Long> orderOf(String key) {
		return this.jdbc.sql("select order_id from stock_reservation where idempotency_key = ?")
			.param(key)
			.query(Long.class)
			.optional();
	}

	private void take(NewOrder wanted) {
		int taken = this.jdbc
			.sql("update stock set available = available - :quantity where sku = :sku and available >= :quantity")
			.paramSource(wanted)
			.update();
		if (taken == 0) {
			throw new OutOfStockException(wanted);
		}
	}

	private long enter(NewOrder wanted) {
		GeneratedKeyHolder id = new GeneratedKeyHolder();
		this.jdbc.sql("""
				insert into shop_order (sku, quantity, amount_cents, status)
				select sku, :quantity, price_cents * :quantity, 'NEW' from stock where sku = :sku""")
			.paramSource(wanted)
			.update(id, "id");
		long order = Objects.requireNonNull(id.getKey()).longValue();
		this.jdbc.sql("insert into payment (trade, order_id, status) values (?, ?, 'PENDING')")
			.params("T" + order, order)
			.update();
		return order;
	}

}
