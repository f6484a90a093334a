package dev.backoff.sample.order;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
class OrderController {

	private final OrderService service;

	private final Orders orders;

	OrderController(OrderService service, Orders orders) {
		this.service = service;
		this.orders = orders;
	}

	@PostMapping("/orders")
	@ResponseStatus(HttpStatus.CREATED)
	Order place(@RequestBody NewOrder wanted) {
		return this.service.place(wanted);
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
