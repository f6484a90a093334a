package dev.backoff.spring.http;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpMethod;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.WebClient;

import dev.backoff.Retry;
import dev.backoff.RetryContext;
import dev.backoff.delay.Jitter;
import dev.backoff.failure.Idempotency;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("try") // a scope is opened for its effect, and has no other use
class OutboundHeadersTests {

	private final VirtualTime time = new VirtualTime();

	private final WorkServer server = new WorkServer(0);

	private final ApplicationContextRunner runner = HttpClients.runner();

	private final ApplicationContextRunner told = this.runner
		.withPropertyValues("backoff.http.hosts=localhost:" + this.server.port());

	@AfterEach
	void close() throws IOException {
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void tellTheAttemptTheTimeLeftAndTheKey(HttpClients client) {
		this.told.run((context) -> {
			sendThreeTimes(client, context, HttpMethod.POST, Idempotency.BY_KEY);
			assertThat(this.server.values("X-Retry-Attempt")).containsExactly("1", "2", "3");
			assertThat(this.server.values("X-Retry-Deadline-Ms")).containsExactly("5000", "4900", "4700");
			List<String> keys = this.server.values("Idempotency-Key");
			assertThat(keys).hasSize(3).containsOnly(keys.get(0));
			assertThat(keys.get(0)).matches("\"[0-9a-f-]{36}\"");
			sendThreeTimes(client, context, HttpMethod.POST, Idempotency.BY_KEY);
			assertThat(this.server.values("Idempotency-Key").get(3)).isNotEqualTo(keys.get(0));
		});
	}

	@ParameterizedTest
	@EnumSource
	void tellNoKeyUnlessWorkIsIdempotentByIt(HttpClients client) {
		this.told.run((context) -> {
			sendThreeTimes(client, context, HttpMethod.POST, Idempotency.YES);
			assertThat(this.server.values("X-Retry-Attempt")).hasSize(3);
			assertThat(this.server.values("Idempotency-Key")).isEmpty();
		});
	}

	@Test
	void tellNoKeyWhereThereIsNothingToApply() {
		this.told.run((context) -> {
			byKey().call(() -> context.getBean(RestClient.Builder.class)
				.build()
				.get()
				.uri(this.server.url())
				.retrieve()
				.toBodilessEntity());
			assertThat(this.server.values("X-Retry-Attempt")).containsExactly("1");
			assertThat(this.server.values("Idempotency-Key")).isEmpty();
		});
	}

	@ParameterizedTest
	@EnumSource
	void tellNobodyWhoIsNotListed(HttpClients client) {
		for (String hosts : List.of("backoff.enabled=true", "backoff.http.hosts=orders.example.com,localhost:1")) {
			this.runner.withPropertyValues(hosts)
				.run((context) -> sendThreeTimes(client, context, HttpMethod.PUT, Idempotency.BY_KEY));
		}
		assertNothingTold(6);
	}

	@ParameterizedTest
	@EnumSource
	void tellNothingOutsideACall(HttpClients client) {
		this.told.run((context) -> {
			client.post(context, this.server.url());
			assertNothingTold(1);
		});
	}

	@ParameterizedTest
	@EnumSource
	void passADeadlineOnWithoutAnAttempt(HttpClients client) {
		this.told.run((context) -> {
			try (RetryContext.Scope scope = RetryContext.ofDeadline(Duration.ofHours(10)).open()) {
				client.post(context, this.server.url());
			}
			// in real time, with 1,000 s for a slow machine
			assertThat(this.server.values("X-Retry-Deadline-Ms")).singleElement()
				.asString()
				.matches("35\\d{6}|36000000");
			assertThat(this.server.values("X-Retry-Attempt")).isEmpty();
		});
	}

	@ParameterizedTest
	@EnumSource
	void leaveWhatTheApplicationSets(HttpClients client) {
		this.told.run((context) -> {
			byKey().call(() -> {
				client.send(context, HttpMethod.POST, this.server.url(), (headers) -> {
					headers.set("idempotency-key", "mine");
					headers.set("X-Retry-Attempt", "77");
				});
				return null;
			});
			assertThat(this.server.values("Idempotency-Key")).containsExactly("mine");
			assertThat(this.server.values("X-Retry-Attempt")).containsExactly("77");
			assertThat(this.server.values("X-Retry-Deadline-Ms")).containsExactly("5000");
		});
	}

	@Test
	void leaveWhatADefaultHeaderOrALaterFilterSets() {
		this.told.run((context) -> {
			RestClient rest = context.getBean(RestClient.Builder.class).defaultHeader("Idempotency-Key", "d").build();
			WebClient web = context.getBean(WebClient.Builder.class)
				.filter((request, next) -> next
					.exchange(ClientRequest.from(request).header("Idempotency-Key", "f").build()))
				.build();
			byKey().call(() -> {
				rest.post().uri(this.server.url()).retrieve().toBodilessEntity();
				return web.post().uri(this.server.url()).retrieve().toBodilessEntity().block();
			});
			assertThat(this.server.values("Idempotency-Key")).containsExactly("d", "f");
			assertThat(this.server.values("X-Retry-Attempt")).containsExactly("1", "1");
		});
	}

	@ParameterizedTest
	@EnumSource
	void haveTheNamesThatAreConfigured(HttpClients client) {
		this.told
			.withPropertyValues("backoff.http.attempt-header=X-A", "backoff.http.deadline-header=X-B",
					"backoff.http.idempotency-header=X-C")
			.run((context) -> {
				sendThreeTimes(client, context, HttpMethod.POST, Idempotency.BY_KEY);
				assertThat(this.server.values("X-A")).hasSize(3);
				assertThat(this.server.values("X-B")).hasSize(3);
				assertThat(this.server.values("X-C")).hasSize(3);
				assertNothingTold(3);
			});
	}

	@Test
	void areToldToEveryoneOnlyWithALine(CapturedOutput output) {
		this.runner.withPropertyValues("backoff.http.hosts=*").run((context) -> {
			sendThreeTimes(HttpClients.REST_CLIENT, context, HttpMethod.POST, Idempotency.YES);
			assertThat(this.server.values("X-Retry-Attempt")).hasSize(3);
		});
		assertThat(output).contains("Requests of RestClient or RestTemplate describe their attempts to every host");
	}

	private void assertNothingTold(int requests) {
		assertThat(this.server.applied()).hasSize(requests);
		assertThat(this.server.values("X-Retry-Attempt")).isEmpty();
		assertThat(this.server.values("X-Retry-Deadline-Ms")).isEmpty();
		assertThat(this.server.values("Idempotency-Key")).isEmpty();
	}

	private void sendThreeTimes(HttpClients client, AssertableApplicationContext context, HttpMethod method,
			Idempotency idempotency) throws IOException {
		int[] attempts = { 0 };
		retry(idempotency).call(() -> {
			client.send(context, method, this.server.url(), (headers) -> {
			});
			if (++attempts[0] < 3) {
				throw new IOException("attempt " + attempts[0]);
			}
			return null;
		});
	}

	private Retry byKey() {
		return retry(Idempotency.BY_KEY);
	}

	private Retry retry(Idempotency idempotency) {
		return Retry
			.builder(RetryPolicy.builder("orders")
				.base(Duration.ofMillis(100))
				.jitter(Jitter.none())
				.maxAttempts(3)
				.deadline(Duration.ofSeconds(5))
				.idempotency(idempotency)
				.build())
			.time(this.time)
			.build();
	}

}
