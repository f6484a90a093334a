package dev.backoff.spring.readme;

import java.io.IOException;

import dev.backoff.annotation.Backoff;

/** A method whose policy depends on where its process runs. */
public class Rooms {

	@Backoff("payments-${room}")
	public void pay(String order) throws IOException {
		throw new IOException(order);
	}

}
