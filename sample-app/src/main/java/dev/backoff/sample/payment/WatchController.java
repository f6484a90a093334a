package dev.backoff.sample.payment;

import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.backoff.durable.DurableCall;

@RestController
@Profile("durable")
class WatchController {

	private final Payments payments;

	private final PaymentWatch watch;

	WatchController(Payments payments, PaymentWatch watch) {
		this.payments = payments;
		this.watch = watch;
	}

	/** Answer at once; a request for a payment that is watched gets the same id. */
	@PostMapping("/payments/{trade}/watch")
	@ResponseStatus(HttpStatus.ACCEPTED)
	Watching watch(@PathVariable String trade) {
		this.payments.get(trade);
		DurableCall<Payment> call = this.watch.start(trade);
		return new Watching(call.id(), call.isNew());
	}

	/** The stored call that watches a payment. */
	record Watching(@Nullable String id, boolean isNew) {
	}

}
