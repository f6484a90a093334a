package dev.backoff.sample.quote;

import org.springframework.stereotype.Service;

import dev.backoff.annotation.Backoff;
import dev.backoff.sample.partner.PartnerClient;

/**
 * Asks what a shipment costs while a customer looks on.
 */
@Service
public class QuoteService {

	private final PartnerClient partner;

	QuoteService(PartnerClient partner) {
		this.partner = partner;
	}

	/** Without a name, the policy is called {@code QuoteService.quote}. */
	@Backoff(preset = "user-facing")
	int quote(String sku) {
		return this.partner.shippingQuote(sku);
	}

}
