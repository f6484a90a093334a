package dev.backoff.kit;

import org.springframework.stereotype.Service;
import org.springframework.web.client.RestClient;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;

@Service
public class Deliveries {

	private final RestClient carrier;

	Deliveries(RestClient carrier) {
		this.carrier = carrier;
	}

	@Backoff(value = "deliveries", idempotent = "by-key", recover = "keep")
	public String order(String parcel) {
		return this.carrier.post()
			.uri("/deliveries/{parcel}", parcel)
			.header("Idempotency-Key", Attempt.current().idempotencyKey())
			.retrieve()
			.body(String.class);
	}

	String keep(String parcel, RetriesStoppedException report) {
		return "kept after " + report.attempts() + " attempts";
	}

}
