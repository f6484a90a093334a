package dev.backoff.sample.tracking;

import reactor.core.publisher.Mono;

import org.springframework.stereotype.Service;
import org.springframework.web.reactive.function.client.WebClient;

import dev.backoff.annotation.Backoff;
import dev.backoff.sample.gateway.Gateway;

/**
 * Asks the carrier where a parcel is.
 */
@Service
public class TrackingService {

	private final WebClient http;

	TrackingService(WebClient.Builder builder, Gateway gateway) {
		this.http = builder.baseUrl(gateway.url().toString()).build();
	}

	/** Neither a request nor a wait takes a thread. Each attempt calls this again. */
	@Backoff(value = "tracking", preset = "user-facing")
	Mono<Tracking> track(long order) {
		return this.http.get().uri("/tracking/{order}", order).retrieve().bodyToMono(Tracking.class);
	}

}
