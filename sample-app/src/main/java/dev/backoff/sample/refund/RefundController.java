package dev.backoff.sample.refund;

import java.util.concurrent.CompletableFuture;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.backoff.sample.payment.Payments;

@RestController
class RefundController {

	private final Payments payments;

	private final RefundService refunds;

	RefundController(Payments payments, RefundService refunds) {
		this.payments = payments;
		this.refunds = refunds;
	}

	@PostMapping("/payments/{trade}/refund")
	CompletableFuture<Refund> refund(@PathVariable String trade) {
		return this.refunds.refund(this.payments.get(trade));
	}

}
