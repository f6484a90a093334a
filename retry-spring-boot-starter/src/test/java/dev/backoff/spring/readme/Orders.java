package dev.backoff.spring.readme;

import java.io.IOException;
import java.util.List;

import org.springframework.stereotype.Component;

import dev.backoff.annotation.Backoff;

@Component
class Orders {

	private final Client client;

	Orders(Client client) {
		this.client = client;
	}

	void placeAll() throws IOException {
		for (String order : List.of("o-1", "o-2")) {
			place(order); // retried
		}
	}

	@Backoff(base = "50ms")
	private String place(String order) throws IOException {
		return this.client.place(order);
	}

	/** Takes orders. */
	interface Client {

		String place(String order) throws IOException;

	}

}
