package dev.backoff.sample.order;

import java.util.List;
import java.util.Optional;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The rows of orders. */
@Repository
public class Orders {

	private final JdbcClient jdbc;

	Orders(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	Optional<Order> find(long id) {
		return this.jdbc.sql("""
				select o.id, p.trade, o.sku, o.quantity, o.amount_cents, o.status
				from shop_order o join payment p on p.order_id = o.id
				where o.id = ?""").param(id).query(Order.class).optional();
	}

	Optional<Stock> stock(String sku) {
		return this.jdbc.sql("select sku, available from stock where sku = ?").param(sku).query(Stock.class).optional();
	}

	Order authorised(Order order) {
		this.jdbc.sql("update shop_order set status = 'AUTHORISED' where id = ? and status = 'NEW'")
			.param(order.id())
			.update();
		return find(order.id()).orElseThrow();
	}

	/**
	 * {@return the numbers of the orders that are not announced to logistics}
	 */
	public List<Long> awaitingShipment() {
		return this.jdbc.sql("select id from shop_order where status = 'AUTHORISED' order by id")
			.query(Long.class)
			.list();
	}

	/**
	 * Mark orders as announced to logistics.
	 * @param ids their numbers, at least one
	 */
	public void shipped(List<Long> ids) {
		this.jdbc.sql("update shop_order set status = 'SHIPPED' where status = 'AUTHORISED' and id in (:ids)")
			.param("ids", ids)
			.update();
	}

}
