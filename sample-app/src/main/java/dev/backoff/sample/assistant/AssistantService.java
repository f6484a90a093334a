package dev.backoff.sample.assistant;

import org.springframework.stereotype.Service;

import dev.backoff.annotation.Backoff;
import dev.backoff.sample.partner.PartnerClient;

/** Let an AI provider answer the questions of customers. */
@Service
public class AssistantService {

	private final PartnerClient partner;

	AssistantService(PartnerClient partner) {
		this.partner = partner;
	}

	/**
	 * All questions of the shop wait in one queue, since they share the quota of one
	 * account. The POST may be repeated: a question that is asked twice does no harm.
	 */
	@Backoff(value = "assistant", pace = "assistant", idempotent = "true", deadline = "1m")
	String answer(String question) {
		return this.partner.ask(question);
	}

}
