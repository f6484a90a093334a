package dev.backoff.kit;

import reactor.core.publisher.Mono;

import org.springframework.stereotype.Service;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

import dev.backoff.annotation.Backoff;

/** Methods that handle failures of their requests themselves. */
@Service
public class Parcels {

	private final RestClient client;

	private final WebClient reactive;

	Parcels(RestClient.Builder client, WebClient.Builder reactive) {
		this.client = client.build();
		this.reactive = reactive.build();
	}

	@Backoff
	public String status(String parcel) {
		try {
			return this.client.get().uri("/parcels/{parcel}", parcel).retrieve().body(String.class);
		}
		catch (HttpClientErrorException.NotFound unknown) {
			return "unknown";
		}
	}

	@Backoff
	public Mono<String> order(String parcel) {
		return this.reactive.post().uri("/parcels/{parcel}", parcel).retrieve().bodyToMono(String.class);
	}

}
