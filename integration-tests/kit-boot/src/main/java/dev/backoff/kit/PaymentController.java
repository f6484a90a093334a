package dev.backoff.kit;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PaymentController {

	private final PaymentCallbacks callbacks;

	PaymentController(PaymentCallbacks callbacks) {
		this.callbacks = callbacks;
	}

	@PostMapping("/payments/{trade}/callback")
	String callback(@PathVariable String trade) {
		return this.callbacks.send(new Payment(trade));
	}

}
