package dev.backoff.spring.minimal;

import java.io.IOException;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.CircuitBreakers;

/** An application that logs whatever there is to log; for a process of its own. */
@SpringBootConfiguration
@EnableAutoConfiguration
public class LoggingApplication {

	static final int MORE_THAN_COME_IN_FULL = 25;

	public static void main(String[] arguments) throws IOException {
		ConfigurableApplicationContext context = SpringApplication.run(LoggingApplication.class, arguments);
		Payments payments = context.getBean(Payments.class);
		ignoringFailure(() -> payments.pay("secret-card"));
		payments.payOrPark("secret-card");
		for (int i = 0; i < MORE_THAN_COME_IN_FULL; i++) {
			ignoringFailure(() -> payments.refund("secret-card"));
		}
		context.getBean(CircuitBreakers.class).get("gateway").open();
		System.exit(SpringApplication.exit(context));
	}

	private static void ignoringFailure(Call call) {
		try {
			call.run();
		}
		catch (IOException ex) {
			// what is logged of it is what counts
		}
	}

	@Bean
	Payments payments() {
		return new Payments();
	}

	/** A call that fails. */
	@FunctionalInterface
	private interface Call {

		void run() throws IOException;

	}

	/** What fails. */
	public static class Payments {

		@Backoff("payments")
		public void pay(String card) throws IOException {
			throw new IOException("refused " + card, new IllegalStateException("because of " + card));
		}

		@Backoff(value = "parking", recover = "park")
		public String payOrPark(String card) throws IOException {
			throw new IOException("refused " + card);
		}

		public String park(String card) {
			return "parked";
		}

		@Backoff("refunds")
		public void refund(String card) throws IOException {
			throw new IOException("refused " + card);
		}

	}

}
