package dev.backoff.sample.quote;

import org.springframework.stereotype.Service;

import dev.backoff.annotation.Backoff;
import dev.backoff.sample.partner.PartnerClient;

/** Ask for the price of a shipment while a customer waits. */
@Service
public class QuoteService {

	private final PartnerClient partner;

	QuoteService(PartnerClient partner) {
		this.partner = partner;
	}

	/** Its policy has no name of its own and is called {@code QuoteService.quote}. */
	@Backoff(preset = "user-facing")
	int quote(String sku) {
		return this.partner.shippingQuote(sku);
	}

}
