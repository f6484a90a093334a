package dev.backoff.sample.order;

import org.springframework.core.task.TaskRejectedException;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.sample.mail.OrderMails;
import dev.backoff.sample.mail.Outbox;

@RestController
class OrderController {

	private final OrderService service;

	private final Orders orders;

	private final Outbox outbox;

	private final OrderMails mails;

	private final CircuitBreaker paymentGateway;

	OrderController(OrderService service, Orders orders, Outbox outbox, OrderMails mails,
			CircuitBreaker paymentGateway) {
		this.service = service;
		this.orders = orders;
		this.outbox = outbox;
		this.mails = mails;
		this.paymentGateway = paymentGateway;
	}

	@PostMapping("/orders")
	@ResponseStatus(HttpStatus.CREATED)
	Order place(@RequestBody NewOrder wanted) {
		Order order = this.service.place(wanted);
		this.outbox.add(order.id());
		try {
			this.mails.confirm(order.id());
		}
		catch (TaskRejectedException ex) {
			// the shop is closing or busy: the mail stays in the outbox
		}
		return order;
	}

	/** Tell the shop's page whether it may offer the order button. */
	@GetMapping("/checkout")
	Checkout checkout() {
		BreakerState state = this.paymentGateway.state();
		return new Checkout(state != BreakerState.OPEN && state != BreakerState.FORCED_OPEN, state);
	}

	@GetMapping("/orders/{id}")
	Order order(@PathVariable long id) {
		return this.orders.find(id)
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "no such order"));
	}

	@GetMapping("/stock/{sku}")
	Stock stock(@PathVariable String sku) {
		return this.orders.stock(sku)
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "no such article"));
	}

	/**
	 * Whether the shop takes orders.
	 *
	 * @param open whether an order would be tried
	 * @param paymentGateway the state of the breaker
	 */
	record Checkout(boolean open, BreakerState paymentGateway) {
	}

}
