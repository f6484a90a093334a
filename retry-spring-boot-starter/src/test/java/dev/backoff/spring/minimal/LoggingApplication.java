package dev.backoff.spring.minimal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.util.StringUtils;

import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.CircuitBreakers;

/**
 * An application that logs all that there is to log; for a process of its own. It starts
 * once for each line of its input, with the arguments of that line besides its own.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
public class LoggingApplication {

	/** Line of its output that ends each start. */
	static final String END = "-- end of this start --";

	static final int MORE_THAN_COME_IN_FULL = 25;

	public static void main(String[] arguments) throws IOException {
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = input.readLine(); line != null; line = input.readLine()) {
			String[] more = line.isEmpty() ? new String[0] : new String[] { line };
			try (ConfigurableApplicationContext context = SpringApplication.run(LoggingApplication.class,
					StringUtils.concatenateStringArrays(arguments, more))) {
				fail(context);
			}
			System.out.println(END);
		}
	}

	private static void fail(ConfigurableApplicationContext context) throws IOException {
		Payments payments = context.getBean(Payments.class);
		ignoringFailure(() -> payments.pay("secret-card"));
		payments.payOrPark("secret-card");
		for (int i = 0; i < MORE_THAN_COME_IN_FULL; i++) {
			ignoringFailure(() -> payments.refund("secret-card"));
		}
		context.getBean(CircuitBreakers.class).get("gateway").open();
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
