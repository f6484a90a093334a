package dev.backoff.spring.readme;

import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;

@RestController
public class Greetings {

	private final AtomicInteger calls = new AtomicInteger();

	@Backoff("greetings")
	@GetMapping("/greet")
	public String greet() {
		if (this.calls.incrementAndGet() % 3 != 0) {
			throw new IllegalStateException("busy");
		}
		return "Hello from attempt " + Attempt.current().number();
	}

}
