package dev.backoff.spring.http;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.JdkClientHttpRequestFactoryBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.HttpMethod;
import org.springframework.http.StreamingHttpOutputMessage;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.web.reactive.function.client.WebClient;

import dev.backoff.Retry;
import dev.backoff.RetryContext;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.pace.Pace;
import dev.backoff.pace.QuotaReading;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** What the clients of Spring Boot tell a pace. */
class ClientQuotasTests {

	private static final String HEADERS = "X-RateLimit-Limit: 90\r\nX-RateLimit-Remaining: 30\r\nX-RateLimit-Reset: 60";

	private static final QuotaReading READING = new QuotaReading("requests", 90, 30, Duration.ofMinutes(1), true, true);

	private final VirtualTime time = new VirtualTime();

	private final Pace pace = new Pace("ai", Duration.ofMinutes(1), 10, this.time, (held, hold) -> {
	});

	private final Retry paced = Retry.builder(RetryPolicy.builder("ai").maxAttempts(1).build())
		.pace(this.pace)
		.time(this.time)
		.build();

	private final WorkServer server = WorkServer.answering(200, HEADERS);

	private final ApplicationContextRunner runner = HttpClients.runner()
		.withPropertyValues("backoff.policies.ai.pace=ai");

	@AfterEach
	void close() throws IOException {
		this.server.close();
	}

	@ParameterizedTest
	@CsvSource({ "REST_CLIENT,200,jdk", "REST_CLIENT,429,jdk", "REST_CLIENT,200,simple",
			"REST_CLIENT,429,http-components", "REST_TEMPLATE,200,http-components", "REST_TEMPLATE,429,jdk",
			"WEB_CLIENT,200,jdk", "WEB_CLIENT,429,jdk" })
	void tellOnSuccessAndOnFailure(HttpClients client, int status, String factory) throws IOException {
		try (WorkServer server = WorkServer.answering(status, HEADERS)) {
			this.runner.withPropertyValues("spring.http.clients.imperative.factory=" + factory).run((context) -> {
				Throwable failure = catchThrowable(() -> this.paced.run(() -> client.post(context, server.url())));
				assertThat(failure != null).isEqualTo(status == 429);
				assertThat(this.pace.status().quotas()).containsExactly(READING);
			});
		}
	}

	@ParameterizedTest
	@EnumSource
	void tellNothingWithoutAnAttemptOrAPace(HttpClients client) {
		Retry free = Retry.builder(RetryPolicy.builder("free").build()).time(this.time).build();
		this.runner.run((context) -> {
			client.post(context, this.server.url());
			free.run(() -> client.post(context, this.server.url()));
			assertThat(this.pace.status().quotas()).isEmpty();
			this.paced.run(() -> free.run(() -> client.post(context, this.server.url())));
			assertThat(this.pace.status().quotas()).containsExactly(READING);
		});
	}

	@Test
	void tellTheAttemptOfTheReactorContext() {
		this.runner.run((context) -> {
			RetryContext attempt = this.paced.call(RetryContext::capture);
			context.getBean(WebClient.Builder.class)
				.build()
				.get()
				.uri(this.server.url())
				.retrieve()
				.toBodilessEntity()
				.contextWrite((reactor) -> reactor.put(RetryContextAccessor.KEY, attempt))
				.block();
			assertThat(this.pace.status().quotas()).containsExactly(READING);
		});
	}

	@Test
	void streamBodies() {
		this.runner.run((context) -> {
			ClientHttpRequestFactory factory = context.getBean(ClientHttpRequestFactoryBuilder.class).build();
			for (Retry retry : List.of(this.paced, Retry.builder(RetryPolicy.builder("free").build()).build())) {
				assertThat(retry.call(() -> factory.createRequest(URI.create(this.server.url()), HttpMethod.POST)))
					.isInstanceOf(StreamingHttpOutputMessage.class);
			}
		});
	}

	@Test
	void stayAsTheyAreWithoutAPace() {
		HttpClients.runner().run((context) -> {
			assertThat(context.getBean(ClientHttpRequestFactoryBuilder.class))
				.isInstanceOf(JdkClientHttpRequestFactoryBuilder.class);
			assertThat(context.getBean(ReactiveClientHeaders.class)).hasFieldOrPropertyWithValue("quotas", null);
		});
	}

}
