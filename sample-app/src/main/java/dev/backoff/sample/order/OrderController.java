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

import dev.backoff.sample.mail.OrderMails;
import dev.backoff.sample.mail.Outbox;

@RestController
class OrderController {

	private final OrderService service;

	private final Orders orders;

	private final Outbox outbox;

	private final OrderMails mails;

	OrderController(OrderService service, Orders orders, Outbox outbox, OrderMails mails) {
		this.service = service;
		this.orders = orders;
		this.outbox = outbox;
		this.mails = mails;
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

}
