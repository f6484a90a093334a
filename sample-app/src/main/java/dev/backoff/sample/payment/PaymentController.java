package dev.backoff.sample.payment;

import java.util.concurrent.CompletableFuture;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/payments/{trade}")
class PaymentController {

	private final Payments payments;

	private final PollingChains chains;

	private final ObjectProvider<PaymentWatch> watch;

	PaymentController(Payments payments, PollingChains chains, ObjectProvider<PaymentWatch> watch) {
		this.payments = payments;
		this.chains = chains;
		this.watch = watch;
	}

	@GetMapping
	Payment payment(@PathVariable String trade) {
		return this.payments.get(trade);
	}

	/** Answer when the status is final, without holding a request thread. */
	@PostMapping("/poll")
	CompletableFuture<Payment> poll(@PathVariable String trade) {
		this.payments.get(trade);
		return this.chains.join(trade);
	}

	/** Accept a notice of the partner at any time. */
	@PostMapping("/notice")
	Payment notice(@PathVariable String trade, @RequestParam(defaultValue = "PAID") PaymentStatus status) {
		Payment payment = this.payments.settle(trade, status);
		this.watch.ifAvailable((watch) -> watch.end(trade));
		return payment;
	}

}
