package dev.backoff.sample.quote;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class QuoteController {

	private final QuoteService quotes;

	QuoteController(QuoteService quotes) {
		this.quotes = quotes;
	}

	@GetMapping("/quotes/{sku}")
	Quote quote(@PathVariable String sku) {
		return new Quote(sku, this.quotes.quote(sku));
	}

	/**
	 * The price of a shipment.
	 *
	 * @param sku the article
	 * @param cents the price
	 */
	record Quote(String sku, int cents) {
	}

}
