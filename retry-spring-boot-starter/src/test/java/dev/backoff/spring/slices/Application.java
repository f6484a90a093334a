package dev.backoff.spring.slices;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.backoff.annotation.Backoff;

/** The application of which the tests start parts. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ Application.Service.class, Application.Controller.class })
class Application {

	/** Found by its class, though it has an interface. */
	static class Service implements AutoCloseable {

		private final AtomicInteger attempts = new AtomicInteger();

		@Backoff(base = "1ms")
		String answer() {
			int attempt = this.attempts.incrementAndGet();
			if (attempt % 3 != 0) {
				throw new UncheckedIOException(new IOException("attempt " + attempt));
			}
			return "answered";
		}

		@Override
		public void close() {
		}

	}

	@RestController
	record Controller(Service service) {

		@GetMapping("/answer")
		String answer() {
			return this.service.answer();
		}

	}

}
