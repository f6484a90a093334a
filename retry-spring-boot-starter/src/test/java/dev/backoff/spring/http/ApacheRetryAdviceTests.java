package dev.backoff.spring.http;

import java.io.IOException;
import java.util.function.Consumer;

import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.web.client.RestClient;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.readme.ClientsWithoutRetries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

@ExtendWith(OutputCaptureExtension.class)
class ApacheRetryAdviceTests {

	private static final String SWITCH = "to switch that off, return "
			+ "builder.withHttpClientCustomizer(HttpClientBuilder::disableAutomaticRetries) in a bean "
			+ "ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder>";

	private static final String ON = "Apache HttpClient retries 429 and 503 itself, and waits for Retry-After within an "
			+ "attempt: the requests multiply; " + SWITCH;

	private static final String UNKNOWN = "Apache HttpClient may retry 429 and 503 itself, which cannot be read here; "
			+ SWITCH;

	private final ApplicationContextRunner runner = HttpClients.runner()
		.withPropertyValues("spring.http.clients.imperative.factory=http-components");

	@Test
	void warnsOnceWhereTheClientRetries(CapturedOutput output) {
		this.runner.run((context) -> {
			assertThat(output).doesNotContain("Apache HttpClient");
			context.getBean(RestClient.Builder.class).build();
			context.getBean(RestClient.Builder.class).build();
			assertThat(output.getOut().lines().filter((line) -> line.contains("WARN") && line.endsWith(ON))).hasSize(1);
		});
	}

	@Test
	void isSilentWhereTheRetriesAreOff(CapturedOutput output) {
		assertSilent(this.runner.withUserConfiguration(ClientsWithoutRetries.class), output);
	}

	@Test
	void isSilentWhereTheStrategyDoesNotRetry(CapturedOutput output) {
		assertSilent(with((client) -> client.setRetryStrategy(never())), output);
	}

	@Test
	void isSilentForOtherClients(CapturedOutput output) {
		assertSilent(this.runner.withPropertyValues("spring.http.clients.imperative.factory=jdk"), output);
	}

	@Test
	void isSilentWhereNothingIsRetried(CapturedOutput output) {
		assertSilent(this.runner.withPropertyValues("backoff.enabled=false"), output);
	}

	@Test
	void informsWhereTheStrategyDoesNotAnswer(CapturedOutput output) {
		with((client) -> client.setRetryStrategy(new DefaultHttpRequestRetryStrategy() {

			@Override
			public boolean retryRequest(HttpResponse response, int count, HttpContext context) {
				throw new IllegalStateException("no request");
			}

		})).run((context) -> {
			context.getBean(RestClient.Builder.class).build();
			assertThat(output.getOut().lines().filter((line) -> line.contains("INFO") && line.endsWith(UNKNOWN)))
				.hasSize(1);
		});
	}

	@Nested
	class Requests {

		@Test
		void areTwiceAsManyAsAttempts() throws IOException {
			assertRequests(ApacheRetryAdviceTests.this.runner, 6);
		}

		@Test
		void areAsManyAsAttemptsWithTheRetriesOff() throws IOException {
			assertRequests(ApacheRetryAdviceTests.this.runner.withUserConfiguration(ClientsWithoutRetries.class), 3);
		}

		private static void assertRequests(ApplicationContextRunner runner, int expected) throws IOException {
			try (WorkServer server = WorkServer.answering(503, "Retry-After: 0")) {
				runner.withBean(VirtualTime.class).withBean(Orders.class).run((context) -> {
					Orders orders = context.getBean(Orders.class);
					assertThat(catchThrowable(
							() -> orders.place(() -> HttpClients.REST_CLIENT.post(context, server.url()))))
						.isNotNull();
					assertThat(server.applied()).hasSize(expected);
				});
			}
		}

	}

	private ApplicationContextRunner with(Consumer<HttpClientBuilder> customizer) {
		return this.runner.withBean(Customizer.class, () -> new Customizer(customizer));
	}

	private static DefaultHttpRequestRetryStrategy never() {
		return new DefaultHttpRequestRetryStrategy(0, TimeValue.ZERO_MILLISECONDS);
	}

	private static void assertSilent(ApplicationContextRunner runner, CapturedOutput output) {
		runner.run((context) -> {
			context.getBean(RestClient.Builder.class).build();
			assertThat(output).doesNotContain("Apache HttpClient");
		});
	}

	private record Customizer(Consumer<HttpClientBuilder> client)
			implements
				ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> {

		@Override
		public HttpComponentsClientHttpRequestFactoryBuilder customize(
				HttpComponentsClientHttpRequestFactoryBuilder builder) {
			return builder.withHttpClientCustomizer(this.client);
		}

	}

	public static class Orders {

		@Backoff(maxAttempts = "3")
		public void place(Runnable request) {
			request.run();
		}

	}

}
