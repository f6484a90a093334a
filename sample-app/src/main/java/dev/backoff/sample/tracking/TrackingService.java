package dev.backoff.sample.tracking;

import reactor.core.publisher.Mono;

import org.springframework.stereotype.Service;
import org.springframework.web.reactive.function.client.WebClient;

import dev.backoff.annotation.Backoff;
import dev.backoff.sample.gateway.PartnerAddress;

/** Ask the carrier for the place of a parcel. */
@Service
public class TrackingService {

	private final WebClient http;

	TrackingService(WebClient.Builder builder, PartnerAddress partners) {
		this.http = builder.baseUrl(partners.url().toString()).build();
	}

	/**
	 * Neither a request nor a wait holds a thread. Each attempt calls this method again.
	 */
	@Backoff(value = "tracking", preset = "user-facing")
	Mono<Tracking> track(long order) {
		return this.http.get().uri("/tracking/{order}", order).retrieve().bodyToMono(Tracking.class);
	}

}
