package dev.backoff.test;

import java.io.IOException;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;

/** Methods that are retried in the tests of Spring's part. */
class Letters {

	@Backoff(value = "letters", base = "1s", maxAttempts = "3")
	String send() {
		return "sent";
	}

	@Backoff(value = "parcels", base = "1s", maxAttempts = "3", recover = "keep")
	String ship() throws IOException {
		return "shipped";
	}

	String keep(RetriesStoppedException report) {
		return "kept after " + report.attempts();
	}

	@Backoff(value = "sneaky", base = "1s", maxAttempts = "3")
	void lose() {
		Letters.<RuntimeException>raise(new IOException("lost"));
	}

	@Backoff(base = "1s", jitter = "full", maxAttempts = "3")
	String print() {
		return "printed";
	}

	/** As Kotlin, Lombok and Groovy do. */
	@SuppressWarnings("unchecked")
	private static <X extends Throwable> void raise(Throwable failure) throws X {
		throw (X) failure;
	}

}
